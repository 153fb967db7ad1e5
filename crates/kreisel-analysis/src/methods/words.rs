//! Names, sources and weaknesses of the methods: the table of the book is printed from here.

use super::Method;

/// What is said of a method.
struct Words {
    method: Method,
    word: &'static str,
    about: &'static str,
    source: &'static str,
    weakness: &'static str,
}

/// In the order of the book: forces, multipliers, fewer coordinates, impulses, implicit methods.
const WORDS: [Words; 19] = [
    Words {
        method: Method::Penalty,
        word: "penalty",
        about: "stiff springs and dampers in place of joints, as stiff as the step allows",
        source: "Wagner 2001, 3.3; Bender 2007, 2.1.1 (W-158, B-58)",
        weakness: "joints give way under load; only smaller steps allow stiffer springs",
    },
    Words {
        method: Method::MassPenalty,
        word: "mass-penalty",
        about: "(M + αJᵀJ) a = F − αJᵀ(Ω²C + 2ΩC' + c)",
        source: "Wagner 2001, (3.8) (W-158); Bayo et al. 1988",
        weakness: "loads press joints open by 1/(αΩ²); a large α costs digits",
    },
    Words {
        method: Method::AugmentedLagrange,
        word: "augmented-lagrange",
        about: "the same, repeated with the last multipliers until they stand",
        source: "Bayo, García de Jalón, Serna 1988",
        weakness: "several solutions a stage; errors swing about zero with the frequency Ω",
    },
    Words {
        method: Method::Multipliers,
        word: "multipliers",
        about: "J a = −c by multipliers of least norm: index 1",
        source: "Wagner 2001, 3.5; Bender 2007, 2.1.3.1 (W-161, B-54)",
        weakness: "nothing holds poses and velocities: joints drift apart with t²",
    },
    Words {
        method: Method::Baumgarte,
        word: "baumgarte",
        about: "J a = −c − 2αC' − α²C, α = 5/s",
        source: "Baumgarte 1972; Wagner 2001, (3.20)",
        weakness: "α belongs to the scene: too small it does nothing, too large it is stiff",
    },
    Words {
        method: Method::BaumgarteIntegral,
        word: "baumgarte-integral",
        about: "J a = −c − 3αC' − 3α²C − α³∫C",
        source: "Baumgarte 1983 by Wagner 2001, 3.5.4 (W-83)",
        weakness: "as before, with one more state for each row; conditions on poses only",
    },
    Words {
        method: Method::RosenEdelstein,
        word: "rosen-edelstein",
        about: "C'' + 2αC' + α²C in the Lagrange function: λ'' − 2αλ' + α²λ takes λ's place",
        source: "Rosen, Edelstein 1997 by Wagner 2001, 3.5.4 (W-83); derived anew",
        weakness: "the motion is Baumgarte's; λ itself grows with e^{αt} and takes digits along",
    },
    Words {
        method: Method::Projected,
        word: "projected",
        about: "multipliers, then the nearest poses and velocities that the joints allow",
        source: "Eich 1993; Wagner 2001, 3.6 (W-162)",
        weakness: "energy drifts slowly: projection knows nothing of it",
    },
    Words {
        method: Method::NullSpace,
        word: "null-space",
        about: "(J; Rᵀ) a = (−c; Rᵀ F) with J R = 0",
        source: "Wagner 2001, (3.27) (W-162)",
        weakness: "no multipliers, so no reactions; drifts as they do; R anew at each state",
    },
    Words {
        method: Method::Partitioned,
        word: "partitioned",
        about: "independent columns are integrated, the others follow from C = 0",
        source: "Wehage, Haug 1982; Wagner 2001, 3.6 (W-160)",
        weakness: "where the choice of columns becomes singular it must be made anew",
    },
    Words {
        method: Method::JointCoordinates,
        word: "joint-coordinates",
        about: "independent coordinates of joints are integrated: the fewest equations",
        source: "Wagner 2001, 3.4 (W-159)",
        weakness: "only where joints have coordinates that tell the pose; a ball has two of three",
    },
    Words {
        method: Method::Faure,
        word: "faure",
        about: "multipliers by conjugate gradients on J Jᵀ, never formed, with Baumgarte's terms",
        source: "Faure 1999 by Wagner 2001, 3.5.5 (W-165)",
        weakness: "rounds grow with the length and the mass ratio of a chain",
    },
    Words {
        method: Method::Decoupled,
        word: "decoupled",
        about: "free motion, then joints put right one after the other, ten times",
        source: "Wagner 2001, 3.6 (W-163)",
        weakness: "order 1; joints stay open and energy goes with every correction",
    },
    Words {
        method: Method::DenseImpulse,
        word: "dense-impulse",
        about: "Kreisel's step with dense factors: impulses that close the previewed joints",
        source: "Bender 2007, 3.3.3 (B-40); RATTLE",
        weakness: "the time grows with the cube of the bodies; order 2",
    },
    Words {
        method: Method::BdfIndex3,
        word: "bdf-index3",
        about: "BDF of order 2 on C = 0, fixed steps",
        source: "Wagner 2001, 3.6 (W-161); Brenan, Campbell, Petzold 1996",
        weakness: "takes energy out of every vibration; rates and multipliers lose digits by 1/h",
    },
    Words {
        method: Method::RadauIndex1,
        word: "radau-index1",
        about: "Radau IIA of order 5 with error control on J a + c = 0",
        source: "Hairer, Wanner 1996, IV.8, VII (W-161)",
        weakness: "drifts as multipliers do, slower",
    },
    Words {
        method: Method::RadauIndex2,
        word: "radau-index2",
        about: "the same on J v = 0",
        source: "Hairer, Wanner 1996, VII (W-161)",
        weakness: "velocities hold, poses drift with t",
    },
    Words {
        method: Method::RadauIndex3,
        word: "radau-index3",
        about: "the same on C = 0",
        source: "Hairer, Wanner 1996, VII (W-161)",
        weakness: "poses hold, velocities are two orders worse; corrections divide by h²",
    },
    Words {
        method: Method::RadauGgl,
        word: "radau-ggl",
        about: "the same on J v = 0 and C = 0, with multipliers for both",
        source: "Gear, Gupta, Leimkuhler 1985",
        weakness: "twice the multipliers; three stages coupled make it the dearest step",
    },
];

impl Method {
    /// All methods, in the order of the book.
    pub fn all() -> impl Iterator<Item = Self> {
        WORDS.iter().map(|w| w.method)
    }

    /// Its word on the command line.
    pub fn word(self) -> &'static str {
        self.words().word
    }

    /// The method of a word.
    pub fn of(word: &str) -> Option<Self> {
        WORDS.iter().find(|w| w.word == word).map(|w| w.method)
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        self.words().about
    }

    /// Where it comes from.
    pub fn source(self) -> &'static str {
        self.words().source
    }

    /// What it is known not to do well.
    pub fn weakness(self) -> &'static str {
        self.words().weakness
    }

    /// Whether it chooses its steps by its own error.
    pub fn is_controlled(self) -> bool {
        matches!(self, Self::RadauIndex1 | Self::RadauIndex2 | Self::RadauIndex3 | Self::RadauGgl)
    }

    /// Whether it can hold conditions on velocities.
    pub(super) fn holds_velocities(self) -> bool {
        matches!(
            self,
            Self::Multipliers
                | Self::Baumgarte
                | Self::Projected
                | Self::NullSpace
                | Self::Faure
                | Self::RadauIndex1
                | Self::RadauIndex2
        )
    }

    fn words(self) -> &'static Words {
        WORDS.iter().find(|w| w.method == self).unwrap_or(&WORDS[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_its_own_words() {
        for m in Method::all() {
            assert_eq!(Method::of(m.word()), Some(m));
        }
        assert_eq!(WORDS.len(), Method::RadauGgl as usize + 1);
    }
}
