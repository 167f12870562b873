//! The flags that say where workers are, spelled as programs on timely spell them.
//!
//! | flag | means | otherwise |
//! |---|---|---|
//! | `-w N`, `--threads N` | workers in each process | 1 |
//! | `-n P`, `--processes P` | processes | 1 |
//! | `-p I`, `--process I` | which of them this one is | 0 |
//! | `-h FILE`, `--hostfile FILE` | where they are, one `host:port` a line | ports 2101, 2102 ... of this machine |
//!
//! A number may stand in the same word: `-w4`, `--threads=4`; so may a file after `--hostfile=`. Everything else is the program's and is handed back in
//! order. After `--` all is the program's: it should stand before words of the program that could be taken for one of
//! these, such as the value `-w` of another flag.

use std::path::PathBuf;

use super::hosts;
use super::layout::{Cluster, check_processes};
use crate::error::StartError;

/// The flags, short and long.
const FLAGS: [(&str, &str); 4] =
    [("-w", "--threads"), ("-n", "--processes"), ("-p", "--process"), ("-h", "--hostfile")];

impl Cluster {
    /// The cluster that these words ask for, and the words that are not about it.
    ///
    /// The first word is the program's name, as in [`std::env::args`]. What is handed back beside it becomes
    /// [`Cluster::arguments`], which all processes must have in common.
    ///
    /// # Errors
    /// [`StartError`] names the flag that is there twice, has no value or one without sense; or the host file's line.
    pub fn from_args(words: impl IntoIterator<Item = String>) -> Result<(Cluster, Vec<String>), StartError> {
        let mut values: [Option<String>; 4] = [const { None }; 4];
        let mut rest = Vec::new();
        let mut words = words.into_iter();
        rest.extend(words.next());
        while let Some(word) = words.next() {
            if word == "--" {
                rest.extend(words);
                break;
            }
            let Some((which, attached)) = recognised(&word) else {
                rest.push(word);
                continue;
            };
            let flag = FLAGS[which].1;
            let refused = |reason: &str| StartError::Flag { flag, reason: reason.to_string() };
            let value = attached.or_else(|| words.next()).filter(|value| !value.is_empty());
            let value = value.ok_or_else(|| refused("wanted a value"))?;
            if values[which].replace(value).is_some() {
                return Err(refused("given twice"));
            }
        }
        let [threads, processes, process, file] = values;
        let number = |value: Option<String>, which: usize, otherwise| match value {
            None => Ok(otherwise),
            Some(text) => text.parse().ok().filter(|_| !text.starts_with('+')).ok_or_else(|| StartError::Flag {
                flag: FLAGS[which].1,
                reason: format!("{text:?} is not a number that can be"),
            }),
        };
        let (threads, processes, process) = (number(threads, 0, 1)?, number(processes, 1, 1)?, number(process, 2, 0)?);
        let cluster = Cluster::from_flags(threads, processes, process, file.map(PathBuf::from))?;
        let arguments = rest.iter().skip(1).cloned().collect();
        Ok((Cluster { arguments, ..cluster }, rest))
    }

    /// The cluster of these numbers; its addresses are read from a host file, if there is one and anyone to talk to.
    ///
    /// # Errors
    /// [`StartError`] names the number without sense, or the host file's line.
    pub fn from_flags(
        threads: usize,
        processes: usize,
        process: usize,
        hosts: Option<PathBuf>,
    ) -> Result<Cluster, StartError> {
        check_processes(processes, process)?;
        let addresses = match (processes, hosts) {
            (1, _) => Vec::new(),
            (_, Some(file)) => hosts::read(&file, processes)?,
            (_, None) => Cluster::local_addresses(processes),
        };
        let cluster = Cluster { process, addresses, ..Cluster::threads(threads) };
        cluster.check().map(|()| cluster)
    }
}

/// Which flag a word is, and the value that stands in it.
fn recognised(word: &str) -> Option<(usize, Option<String>)> {
    FLAGS.iter().enumerate().find_map(|(which, (short, long))| {
        match word.strip_prefix(short) {
            Some("") => return Some((which, None)),
            // `-print` is the program's own.
            Some(value) if !value.starts_with(char::is_alphabetic) => return Some((which, Some(value.to_string()))),
            _ => {}
        }
        let value = word.strip_prefix(long)?;
        match value.strip_prefix('=') {
            Some(value) => Some((which, Some(value.to_string()))),
            None => value.is_empty().then_some((which, None)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &str) -> Result<(Cluster, Vec<String>), String> {
        let words = std::iter::once("program").chain(words.split_whitespace()).map(str::to_string);
        Cluster::from_args(words).map_err(|error| error.to_string())
    }

    #[test]
    fn flags_are_taken_and_the_rest_is_handed_back_in_order() {
        for words in [
            "file -w 3 --reach 9 -n 2 --scc -p 1",
            "file -w3 --reach 9 -n2 --scc -p1",
            "file --threads 3 --reach 9 --processes 2 --process 1 --scc",
            "file --reach 9 --threads=3 --processes=2 --process=1 --scc",
            "-p 1 -n 2 -w 3 -- file --reach 9 --scc",
        ] {
            let (cluster, rest) = parsed(words).expect(words);
            assert_eq!((cluster.threads, cluster.processes(), cluster.process), (3, 2, 1), "{words}");
            assert_eq!(cluster.addresses, ["localhost:2101", "localhost:2102"], "{words}");
            assert_eq!(rest, ["program", "file", "--reach", "9", "--scc"], "{words}");
            assert_eq!(cluster.arguments, rest[1..], "{words}");
        }
        let (cluster, rest) = parsed("--threadsafe --processor -print -w 2 -- -w 5 --").expect("good");
        assert_eq!((cluster.threads, cluster.processes()), (2, 1));
        assert_eq!(rest, ["program", "--threadsafe", "--processor", "-print", "-w", "5", "--"]);
        assert_eq!(Cluster::from_args([]), Ok((Cluster::default(), Vec::new())));
        assert_eq!(Cluster::from_args(["-w".to_string()]), Ok((Cluster::default(), vec!["-w".to_string()])));
    }

    #[test]
    fn flags_without_sense_are_refused_by_name() {
        let golden = [
            ("-w", "--threads: wanted a value"),
            ("--threads=", "--threads: wanted a value"),
            ("-w 2 --threads 2", "--threads: given twice"),
            ("-w two", r#"--threads: "two" is not a number that can be"#),
            ("-w=2", r#"--threads: "=2" is not a number that can be"#),
            ("-w +2", r#"--threads: "+2" is not a number that can be"#),
            ("-n -1", r#"--processes: "-1" is not a number that can be"#),
            ("-p 99999999999999999999", r#"--process: "99999999999999999999" is not a number that can be"#),
            ("-w 0", "--threads: 0 is out of range: from 1 to 512"),
            ("-w 100000", "--threads: 100000 is out of range: from 1 to 512"),
            ("-n 0", "--processes: 0 is out of range: from 1 to 512"),
            ("-n 100000", "--processes: 100000 is out of range: from 1 to 512"),
            ("-n 2 -p 2", "--process: 2 is out of range: 2 processes have the numbers 0 to 1"),
            ("-p 1", "--process: 1 is out of range: there is one process, number 0, if --processes says no other"),
            ("-n 2 -h", "--hostfile: wanted a value"),
        ];
        for (words, wanted) in golden {
            assert_eq!(parsed(words), Err(wanted.to_string()), "{words}");
        }
        let absent = parsed("-n 2 -h no/such/hosts.txt").expect_err("absent");
        assert!(absent.starts_with("no/such/hosts.txt: cannot be read: "), "{absent}");
    }
}
