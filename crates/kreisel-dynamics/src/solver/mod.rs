//! Solution of A λ = b with A = J M⁻¹ Jᵀ: ordering, symbolic analysis, block LDLᵀ, rank.

pub(crate) mod block;
pub(crate) mod ldlt;
pub(crate) mod order;
pub(crate) mod panel;
pub(crate) mod rank;
