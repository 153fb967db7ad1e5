//! Serves one page on the loopback interface. It answers every request with the page, and knows
//! nothing else.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

/// Longest request that is read, in bytes.
const MAX_REQUEST: u64 = 16 * 1024;

/// Serves the page until the program is ended; `ready` is called with the address.
pub fn serve(page: &str, port: u16, ready: impl FnOnce(&str)) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    ready(&format!("http://{}/", listener.local_addr()?));
    for stream in listener.incoming().flatten() {
        // A browser that goes away in the middle of an answer is no reason to stop serving.
        let _ = answer(stream, page);
    }
    Ok(())
}

fn answer(stream: TcpStream, page: &str) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    stream.set_write_timeout(Some(Duration::from_secs(30)))?;
    let mut reader = BufReader::new(stream.try_clone()?.take(MAX_REQUEST));
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut stream = stream;
    let (status, kind, body) = match first.split_whitespace().nth(1) {
        Some("/") => ("200 OK", "text/html; charset=utf-8", page),
        _ => ("404 Not Found", "text/plain; charset=utf-8", "there is only one page here: /\n"),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn get(address: &str, path: &str) -> String {
        let host = address.trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut out = String::new();
        stream.read_to_string(&mut out).unwrap();
        out
    }

    #[test]
    fn the_page_is_served_and_nothing_else() {
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || serve("<p>hello</p>", 0, |a| send.send(a.to_owned()).unwrap()));
        let address = receive.recv().unwrap();
        let page = get(&address, "/");
        assert!(
            page.starts_with("HTTP/1.1 200 OK\r\n") && page.ends_with("<p>hello</p>"),
            "{page}"
        );
        assert!(get(&address, "/../etc/passwd").starts_with("HTTP/1.1 404"));
    }
}
