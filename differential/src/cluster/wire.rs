//! A socket as timely wants it, that knows an orderly end from a death.
//!
//! timely's threads panic when a socket fails, and poison the workers' queues with it. This one never fails: what
//! happens to the socket raises the alarm, and timely is told what lets its threads end in order, once no worker is left
//! that could take it for the truth.
//!
//! | what happens | the alarm | timely sees |
//! |---|---|---|
//! | the peer's good-bye | is not raised | the good-bye, and the end |
//! | an end without one, or an error, while reading | `Error::Peer` | nothing until all workers have left; then zeros up to the next boundary, and a good-bye |
//! | an error while writing | `Error::Peer` | success |
//! | the alarm was raised elsewhere | | the same: writes go nowhere, reads wait for the workers and end |
//!
//! So no worker sees a message that was cut off, and a process that failed sends no good-bye: its peers see the second
//! row.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};

use timely::communication::allocator::zero_copy::stream::Stream;

use super::alarm::Alarm;
use super::frames::Frames;
use crate::error::Error;

/// A connection to another process.
pub(super) struct Wire {
    socket: TcpStream,
    alarm: Alarm,
    process: usize,
    address: String,
    /// What has been read so far; of use in the one clone that reads.
    frames: Frames,
}

impl Wire {
    /// The connection to this process by this socket, over which nothing of timely's has gone yet.
    ///
    /// # Errors
    /// Those of duplicating a socket.
    pub(super) fn new(socket: TcpStream, alarm: &Alarm, process: usize, address: &str) -> io::Result<Wire> {
        alarm.guard(socket.try_clone()?);
        Ok(Wire { socket, alarm: alarm.clone(), process, address: address.to_string(), frames: Frames::new() })
    }

    fn lost(&self, reason: String) {
        self.alarm.raise(Error::Peer { process: self.process, address: self.address.clone(), reason });
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.frames.ended() || buffer.is_empty() {
            return Ok(0);
        }
        if !self.alarm.is_raised() {
            match self.socket.read(buffer) {
                Ok(0) => self.lost("it closed the connection".to_string()),
                Ok(read) => return Ok(self.frames.pass(&buffer[..read])),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => self.lost(error.to_string()),
            }
        }
        self.alarm.wait_for_workers();
        let zeros = self.frames.missing().min(buffer.len());
        buffer[..zeros].fill(0);
        Ok(self.frames.pass(&buffer[..zeros]))
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.alarm.is_raised() {
            match self.socket.write(bytes) {
                Ok(0) if !bytes.is_empty() => self.lost("it takes no more".to_string()),
                Ok(written) => return Ok(written),
                Err(error) if error.kind() == ErrorKind::Interrupted => return Err(error),
                Err(error) => self.lost(error.to_string()),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Wire {
    fn try_clone(&self) -> io::Result<Self> {
        let socket = self.socket.try_clone()?;
        Ok(Wire { socket, alarm: self.alarm.clone(), address: self.address.clone(), frames: Frames::new(), ..*self })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // The peer may be gone already, after its own good-bye; if it went without one, the reader says so.
        _ = self.socket.shutdown(how);
        Ok(())
    }
}
