//! The laws. Each is a struct with its parameters, and the trait of its kind.

use kreisel_dynamics::plugin::{
    Coefficients, ConstraintLaw, ContactLaw, Declared, ForceLaw, PluginRow, PluginState,
    SensorLaw, register,
};
use kreisel_dynamics::{Material, Vec3, World};
use kreisel_scene::record::{Data, Exporter, add_exporter};
use std::error::Error;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Two poles attract each other: F = k/(r² + a²), finite where they meet.
struct Magnet {
    strength: f64,
    softening: f64,
}

impl ForceLaw for Magnet {
    fn connectors(&self) -> RangeInclusive<usize> {
        2..=2
    }
    fn depends_on_velocities(&self) -> bool {
        false
    }
    fn forces(&self, now: &PluginState<'_>, out: &mut [Vec3]) -> Result<(), String> {
        let d = now.points[1].position - now.points[0].position;
        let size = self.strength / (d.length_squared() + self.softening * self.softening);
        let pull = d.normalize_or_zero() * size;
        (out[0], out[1]) = (pull, -pull);
        Ok(())
    }
}

/// A rod between two points whose length swings: (|d|² − l²)/2l₀ with l = l₀ + a sin ωt.
struct Telescope {
    length: f64,
    stroke: f64,
    frequency: f64,
}

impl ConstraintLaw for Telescope {
    fn connectors(&self) -> usize {
        2
    }
    fn rows(&self) -> usize {
        1
    }
    fn evaluate(&self, now: &PluginState<'_>, rows: &mut [PluginRow]) -> Result<(), String> {
        let d = now.points[1].position - now.points[0].position;
        let (sine, cosine) = (self.frequency * now.time).sin_cos();
        let length = self.length + self.stroke * sine;
        let row = &mut rows[0];
        row.value = (d.length_squared() - length * length) / (2.0 * self.length);
        row.gradients.copy_from_slice(&[-d / self.length, d / self.length]);
        // what the value does by itself over time
        row.rate = -length * self.stroke * self.frequency * cosine / self.length;
        Ok(())
    }
}

/// Kinetic energy of everything that moves, as one number.
struct Bustle;

impl SensorLaw for Bustle {
    fn channels(&self) -> Vec<(String, &'static str)> {
        vec![(String::new(), "J")]
    }
    fn measure(&self, world: &World) -> Result<Vec<f64>, String> {
        Ok(vec![world.energy().kinetic])
    }
}

/// Whatever touches "ice" slides, the more so the warmer it is.
struct Ice {
    celsius: f64,
}

impl ContactLaw for Ice {
    fn coefficients(
        &self,
        a: &Material,
        b: &Material,
        usual: Coefficients,
    ) -> Result<Coefficients, String> {
        if a.name != "ice" && b.name != "ice" {
            return Ok(usual);
        }
        let friction = 0.02 + 0.002 * (-self.celsius).max(0.0);
        Ok(Coefficients { friction, static_friction: friction, ..usual })
    }
}

/// A recording as columns for gnuplot: a comment with the names, then numbers.
struct Gnuplot;

impl Exporter for Gnuplot {
    fn write(&self, data: &Data, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = data.columns.iter().map(|c| c.name.as_str()).collect();
        writeln!(out, "# {}", names.join(" "))?;
        for row in 0..data.rows() {
            let numbers: Vec<String> =
                data.values.iter().map(|column| column[row].to_string()).collect();
            writeln!(out, "{}", numbers.join(" "))?;
        }
        Ok(())
    }
}

/// Registers all of them, before any scene is loaded.
pub fn register_all() -> Result<(), Box<dyn Error>> {
    let magnet = Declared::new("magnet", "two poles attract each other")
        .required("strength")
        .parameter("softening", 0.01);
    register::<dyn ForceLaw>(magnet, |p| {
        let &[strength, softening] = p else { return Err("two parameters".into()) };
        if softening <= 0.0 {
            return Err("softening must be positive".into());
        }
        Ok(Arc::new(Magnet { strength, softening }))
    })?;
    let telescope = Declared::new("telescope", "a rod whose length swings")
        .required("length")
        .parameter("stroke", 0.0)
        .parameter("frequency", 1.0);
    register::<dyn ConstraintLaw>(telescope, |p| {
        let &[length, stroke, frequency] = p else { return Err("three parameters".into()) };
        if length <= stroke.abs() {
            return Err("length must be larger than stroke".into());
        }
        Ok(Arc::new(Telescope { length, stroke, frequency }))
    })?;
    let bustle = Declared::new("bustle", "kinetic energy of everything");
    register::<dyn SensorLaw>(bustle, |_| Ok(Arc::new(Bustle)))?;
    let ice = Declared::new("ice", "whatever touches ice slides").parameter("celsius", -5.0);
    register::<dyn ContactLaw>(ice, |p| Ok(Arc::new(Ice { celsius: p[0] })))?;
    add_exporter("dat", Arc::new(Gnuplot))?;
    Ok(())
}
