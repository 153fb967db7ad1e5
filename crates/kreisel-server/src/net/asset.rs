//! The viewer's files, embedded in the program. A request is looked up by its exact name: there is
//! no path to escape by.

use crate::assets::Viewer;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const NOT_BUILT: &str = "<!doctype html><title>Kreisel</title><p>The viewer is not built into this program. \
Build it with <code>cargo xtask demo</code>, or with <code>npm ci &amp;&amp; npm run build</code> in <code>web/</code> \
and then build the program again.";

/// Whether the viewer was there when this program was built.
pub const HAS_VIEWER: bool = cfg!(not(without_viewer));

/// Answers with a file of the viewer.
pub(super) async fn serve(request: Request) -> Response {
    let path = request.uri().path();
    let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
    if !Viewer::iter().any(|n| n == name) {
        return if path == "/" {
            ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], NOT_BUILT).into_response()
        } else {
            (StatusCode::NOT_FOUND, "there is no such file\n").into_response()
        };
    }
    let Some(file) = Viewer::get(name) else { return StatusCode::NOT_FOUND.into_response() };
    // Names of built files carry a hash of their content; the page itself does not.
    let cache =
        if name == "index.html" { "no-cache" } else { "public, max-age=31536000, immutable" };
    let kind = file.metadata.mimetype().to_owned();
    (
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache.to_owned())],
        Body::from(file.data.into_owned()),
    )
        .into_response()
}
