//! The host file: where each process listens.
//!
//! ```text
//!   # two machines
//!   left.example:2101
//!   right.example:2101     # the second process
//! ```
//!
//! One `host:port` a line, in order of the processes; `#` begins a comment, blank lines don't count. An address of
//! numbers with colons stands in brackets: `[::1]:2101`. Names are looked up when connecting. Lines beyond the number of
//! processes are not looked at, so that a file can serve fewer processes than it names.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::{HostsReason, StartError};

/// The addresses of the first `processes` processes that a file names.
///
/// # Errors
/// [`StartError::Hosts`] with the file, the line and the reason.
pub fn read(file: &Path, processes: usize) -> Result<Vec<String>, StartError> {
    let refused = |line, reason| StartError::Hosts { file: file.to_path_buf(), line, reason };
    let text =
        std::fs::read_to_string(file).map_err(|error| refused(None, HostsReason::Unreadable(error.to_string())))?;
    let (mut addresses, mut first) = (Vec::new(), BTreeMap::new());
    for (line, text) in (1..).zip(text.lines()) {
        if addresses.len() == processes {
            break;
        }
        let address = text.split('#').next().unwrap_or_default().trim();
        if address.is_empty() {
            continue;
        }
        check(address).map_err(|reason| refused(Some(line), reason))?;
        if let Some(first) = first.insert(address, line) {
            return Err(refused(Some(line), HostsReason::Duplicate { address: address.to_string(), first }));
        }
        addresses.push(address.to_string());
    }
    if addresses.len() < processes {
        return Err(refused(None, HostsReason::TooFew { processes, addresses: addresses.len() }));
    }
    Ok(addresses)
}

/// Whether this has the form `host:port`.
fn check(address: &str) -> Result<(), HostsReason> {
    let wrong = || HostsReason::NotAnAddress(address.to_string());
    let (host, port) = address.rsplit_once(':').ok_or_else(wrong)?;
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let plain = !host.contains([':', '[', ']']);
    if bare.unwrap_or(host).is_empty() || address.contains(char::is_whitespace) || (bare.is_none() && !plain) {
        return Err(wrong());
    }
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(1..) if digits => Ok(()),
        _ => Err(HostsReason::BadPort(port.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reading a file with this text comes to, the folder's name taken out of messages.
    fn said(name: &str, text: &[u8], processes: usize) -> Result<Vec<String>, String> {
        let folder = std::env::temp_dir().join(format!("hosts-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder of our own");
        let file = folder.join("hosts.txt");
        std::fs::write(&file, text).expect("a file of our own");
        let outcome = read(&file, processes);
        std::fs::remove_dir_all(&folder).expect("it is ours");
        outcome.map_err(|error| error.to_string().replace(&format!("{}/", folder.display()), ""))
    }

    #[test]
    fn addresses_stand_one_a_line() {
        let text = "# two\n\n left.example:2101 \r\nright.example:65535 # second\n  # none\n[::1]:1\nnot an address\n";
        let wanted = ["left.example:2101", "right.example:65535", "[::1]:1"].map(str::to_string);
        for processes in 0..=3 {
            assert_eq!(said("good", text.as_bytes(), processes), Ok(wanted[..processes].to_vec()));
        }
    }

    #[test]
    fn bad_files_are_refused_with_line_and_reason() {
        let golden: [(&str, &str); 14] = [
            ("", "hosts.txt: 0 addresses for 2 processes"),
            ("a:1\n#b:2\n", "hosts.txt: 1 addresses for 2 processes"),
            ("a:1\na\n", r#"hosts.txt, line 2: "a" is not an address: wanted host:port"#),
            ("a:1 b:2\n", r#"hosts.txt, line 1: "a:1 b:2" is not an address: wanted host:port"#),
            ("\n:1\n", r#"hosts.txt, line 2: ":1" is not an address: wanted host:port"#),
            ("::1\n", r#"hosts.txt, line 1: "::1" is not an address: wanted host:port"#),
            ("[]:1\n", r#"hosts.txt, line 1: "[]:1" is not an address: wanted host:port"#),
            ("a:\n", r#"hosts.txt, line 1: "" is not a port: wanted a number from 1 to 65535"#),
            ("a:0\n", r#"hosts.txt, line 1: "0" is not a port: wanted a number from 1 to 65535"#),
            ("a:65536\n", r#"hosts.txt, line 1: "65536" is not a port: wanted a number from 1 to 65535"#),
            ("a:+1\n", r#"hosts.txt, line 1: "+1" is not a port: wanted a number from 1 to 65535"#),
            ("a:http\n", r#"hosts.txt, line 1: "http" is not a port: wanted a number from 1 to 65535"#),
            ("# first\na:1\n\na:1\n", "hosts.txt, line 4: a:1 stands in line 2 already"),
            ("a:1:2\n", r#"hosts.txt, line 1: "a:1:2" is not an address: wanted host:port"#),
        ];
        for (text, wanted) in golden {
            assert_eq!(said("bad", text.as_bytes(), 2), Err(wanted.to_string()), "{text:?}");
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let absent = read(Path::new("no/such/hosts.txt"), 2).map_err(|error| error.to_string());
        assert!(absent.expect_err("absent").starts_with("no/such/hosts.txt: cannot be read: "));
        let bytes = said("bytes", b"a:1\n\xff:2\n", 2).expect_err("not text");
        assert!(bytes.starts_with("hosts.txt: cannot be read: "), "{bytes}");
    }
}
