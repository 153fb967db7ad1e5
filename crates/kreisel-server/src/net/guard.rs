//! Who may speak to the server: `Host`, `Origin`, token; and the headers of every answer.

use super::Shared;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Longest path of a request, in bytes.
const LONGEST_PATH: usize = 1024;

/// 128 random bits that a client must know.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A fresh token.
    pub(super) fn random() -> std::io::Result<Self> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
        Ok(Self(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// Its text, for the address.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether a text is this token; takes the same time wherever they differ.
    pub fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Logs never contain the token.
        f.write_str("Token")
    }
}

/// What requests are checked against.
pub(crate) struct Guard {
    hosts: Vec<String>,
    policy: HeaderValue,
    pub token: Token,
    /// Name of the cookie that holds the token; cookies of all ports of a machine lie together.
    cookie: String,
}

impl Guard {
    pub fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.extend([
                format!("127.0.0.1:{port}"),
                format!("localhost:{port}"),
                format!("[::1]:{port}"),
            ]);
        }
        // A server on all addresses is reached by names it does not know; there the token alone
        // guards the socket.
        if address.ip().is_unspecified() {
            hosts.clear();
        }
        // A policy cannot name an IPv6 address; there 'self' covers the socket.
        let named = hosts.iter().filter(|h| !h.starts_with('['));
        let sockets: String = named.map(|h| format!(" ws://{h}")).collect();
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; \
             connect-src 'self'{sockets}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        let policy = HeaderValue::from_str(&policy)
            .unwrap_or(HeaderValue::from_static("default-src 'self'"));
        Self { hosts, policy, token, cookie: format!("kreisel-{port}") }
    }

    /// Whether a page that has been here before opens the socket: it has the token as a cookie.
    pub fn knows(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|h| h.to_str().ok());
        let mut pairs = cookies.flat_map(|c| c.split(';')).filter_map(|c| c.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie && self.token.is(value))
    }

    fn host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|h| h.to_str().ok());
        host.is_some_and(|h| self.hosts.is_empty() || self.hosts.iter().any(|k| k == h))
    }

    /// Whether the page that opens a socket is the server's own.
    pub fn origin(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|h| h.to_str().ok());
        let (Some(origin), Some(host)) = (text(header::ORIGIN), text(header::HOST)) else {
            return false;
        };
        origin.strip_prefix("http://").is_some_and(|o| o == host)
            || origin.strip_prefix("https://").is_some_and(|o| o == host)
    }
}

/// Checks a request and sets the headers of its answer.
pub(super) async fn check(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    let good = shared.guard.host(request.headers());
    let answer = if !good {
        (StatusCode::FORBIDDEN, "unknown host name\n").into_response()
    } else if !matches!(*request.method(), Method::GET | Method::HEAD) {
        (StatusCode::METHOD_NOT_ALLOWED, "only GET\n").into_response()
    } else if request.uri().path().len() > LONGEST_PATH {
        (StatusCode::URI_TOO_LONG, "too long\n").into_response()
    } else {
        next.run(request).await
    };
    let mut answer = answer;
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, shared.guard.policy.clone());
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-embedder-policy", "require-corp"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token_and_no_log_shows_it() {
        let token = Token::random().unwrap();
        let text = token.text().to_owned();
        assert!(token.is(&text) && text.len() == 32);
        // Every single character counts, also the last.
        for k in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[k] = if other[k] == b'0' { b'1' } else { b'0' };
            assert!(!token.is(std::str::from_utf8(&other).unwrap()), "{k}");
            assert!(!token.is(&text[..k]), "{k}");
        }
        assert!(!token.is(&format!("{text}0")));
        assert!(!format!("{token:?}").contains(&text));
        assert_ne!(Token::random().unwrap().text(), text);
    }
}
