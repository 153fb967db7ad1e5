//! The progress bar of a run: simulated time, real-time factor, worst joint.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kreisel_dynamics::StepReport;
use std::time::{Duration, Instant};

/// A progress bar on the error stream; invisible where that is not a terminal.
pub struct Progress {
    bar: ProgressBar,
    start: Instant,
    shown: Instant,
    /// Worst joint since the bar was last drawn.
    worst: Option<(String, f64, f64)>,
}

impl Progress {
    /// A bar over the number of steps.
    pub fn new(steps: u64, quiet: bool) -> Self {
        let target = if quiet {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr_with_hz(10)
        };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        let style = ProgressStyle::with_template("{bar:30.cyan/blue} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━╸─"));
        let now = Instant::now();
        Self { bar, start: now, shown: now, worst: None }
    }

    /// Shows a step.
    pub fn step(&mut self, done: u64, simulated: f64, report: &StepReport) {
        if let Some(w) = &report.worst
            && self.worst.as_ref().is_none_or(|(_, p, a)| w.position.max(w.angle) >= p.max(*a))
        {
            self.worst = Some((w.name.to_string(), w.position, w.angle));
        }
        if self.shown.elapsed() < Duration::from_millis(100) {
            return;
        }
        self.shown = Instant::now();
        let factor = simulated / self.start.elapsed().as_secs_f64();
        let worst =
            self.worst.take().map(|(name, p, a)| format!("  worst {name}: {p:.1e} m, {a:.1e} rad"));
        self.bar.set_message(format!(
            "t = {simulated:.2} s  {factor:.1} × real time{}",
            worst.unwrap_or_default()
        ));
        self.bar.set_position(done);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
