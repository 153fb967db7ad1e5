//! Processor time of the calling thread: other programs on a shared machine do not count, waiting
//! does not count.

/// Processor time used by this thread so far, s.
///
/// Reading it is a system call of a fraction of a microsecond, so that callers time blocks of
/// steps, not single ones.
pub fn thread_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place for the answer.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut t) };
    assert_eq!(failed, 0, "this system has no thread clock");
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}
