//! Part of Kreisel.
