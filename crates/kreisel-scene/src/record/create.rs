//! Creating a file that one program writes: two at once would leave it unreadable.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Creates or empties a file, unless another program (or this one) is writing it; that ends with
/// the file's last handle.
pub fn create(path: impl AsRef<Path>) -> io::Result<File> {
    // Emptied only after the lock: what the other one has written must stay.
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    if !file.metadata()?.is_file() {
        // A pipe or a terminal has many writers, and no length.
        return Ok(file);
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let words =
                "another run is writing this file; choose another name, or wait for its end";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, words));
        }
        // A file system without locks works as before.
        Err(TryLockError::Error(_)) | Ok(()) => {}
    }
    file.set_len(0)?;
    Ok(file)
}
