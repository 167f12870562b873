//! Marks and counters of the process: the one place with unsafe code.
//!
//! | what | where it comes from |
//! |---|---|
//! | seconds of all threads, user and system | the process's CPU clock |
//! | the peak of the resident set since a phase began | `/proc/self/clear_refs`, `VmHWM` of `/proc/self/status` |
//! | what the allocator has handed out and not had back | `mallinfo2` |
//!
//! Where a counter does not exist, it reads 0. Why not safe crates: none reads the allocator's own account.
#![allow(unsafe_code)]

/// Does nothing, at both ends of each phase: a profiler cuts its counts there
/// (`valgrind --tool=callgrind --dump-before=peers_mark`).
// SAFETY: nothing else in the program has this name.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn peers_mark() {
    std::hint::black_box(());
}

/// Seconds of processor time that this process has used, all threads, user and system.
pub fn cpu_seconds() -> f64 {
    let mut clock = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes only to the structure it is handed.
    match unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut clock) } {
        0 => clock.tv_sec as f64 + clock.tv_nsec as f64 / 1e9,
        _ => 0.0,
    }
}

/// Starts the peak of the resident set anew; where the kernel refuses, the peak is that of the whole run.
pub fn reset_peak() {
    _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The resident set's peak since [`reset_peak`], in KiB.
pub fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What the allocator has handed out and not had back, in KiB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn live_kb() -> u64 {
    // SAFETY: the call only reads the allocator's own account.
    let account = unsafe { libc::mallinfo2() };
    ((account.uordblks + account.hblkhd) / 1024) as u64
}

/// What the allocator has handed out and not had back, in KiB: 0, as this allocator keeps no account.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn live_kb() -> u64 {
    0
}
