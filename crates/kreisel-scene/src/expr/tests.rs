use super::*;
use proptest::prelude::*;

fn scope() -> Scope {
    let mut s = Scope::default();
    s.push("n", Number::plain(50.0));
    s.push("i", Number::plain(3.0));
    s.push("tilt", evaluate("30 deg", &Scope::default()).unwrap());
    s
}

fn value(text: &str) -> f64 {
    evaluate(text, &scope()).unwrap_or_else(|e| panic!("{text}: {}", e.message)).value
}

#[test]
fn operators_bind_as_in_mathematics() {
    assert_eq!(value("2 + 3 * 4"), 14.0);
    assert_eq!(value("2 * 3 ^ 2 ^ 1"), 18.0);
    assert_eq!(value("-2 ^ 2"), -4.0);
    assert_eq!(value("2 ^ -1"), 0.5);
    assert_eq!(value("10 - 4 - 3"), 3.0);
    assert_eq!(value("-7 % 3"), 2.0);
    assert_eq!(value("i < n && i != 4 ? i : n"), 3.0);
    assert_eq!(value("!(i == 3) || 0"), 0.0);
    assert_eq!(value("1 ? 2 : 0 ? 3 : 4"), 2.0);
    assert_eq!(value("1.5e-3 + .5"), 0.5015);
}

#[test]
fn functions_and_constants_are_there() {
    assert_eq!(value("floor(log2(127))"), 6.0);
    assert_eq!(value("max(1, i, 2)"), 3.0);
    assert_eq!(value("cos(pi)"), -1.0);
    assert_eq!(value("hypot(3, 4)"), 5.0);
    let r = value("rand(1, 2)");
    assert!((0.0..1.0).contains(&r) && r == value("rand(1, 2)") && r != value("rand(2, 1)"));
}

#[test]
fn units_bind_to_their_number_and_are_carried_along() {
    let angle = evaluate("2 * 45 deg", &scope()).unwrap();
    assert_eq!((angle.value, angle.unit), (std::f64::consts::FRAC_PI_2, Unit::Angle));
    let rate = evaluate("90 deg/s", &scope()).unwrap();
    assert_eq!((rate.value, rate.unit), (std::f64::consts::FRAC_PI_2, Unit::Rate));
    assert_eq!(value("60 rpm"), std::f64::consts::TAU);
    assert_eq!(evaluate("sin(tilt)", &scope()).unwrap().unit, Unit::Plain);
    assert_eq!(evaluate("tilt / 1 deg", &scope()).unwrap().unit, Unit::Plain);
    assert!(evaluate("tilt * tilt", &scope()).is_err());
}

#[test]
fn errors_say_where_and_what_helps() {
    let e = evaluate("2 * tlit", &scope()).unwrap_err();
    assert_eq!((e.span, e.help.as_deref()), (4..8, Some("did you mean `tilt`?")));
    let e = evaluate("sni(1)", &scope()).unwrap_err();
    assert_eq!(e.help.as_deref(), Some("did you mean `sin`?"));
    assert_eq!(evaluate("1 +", &scope()).unwrap_err().span, 3..3);
    assert_eq!(
        evaluate("(1", &scope()).unwrap_err().message,
        "`)` is missing to close the bracket"
    );
    assert_eq!(evaluate("1 / (i - 3)", &scope()).unwrap_err().message, "division by zero");
    assert_eq!(evaluate("sqrt(-1)", &scope()).unwrap_err().message, "this is not a finite number");
    assert_eq!(evaluate("1 2", &scope()).unwrap_err().span, 2..3);
}

#[test]
fn deep_nesting_is_refused_instead_of_exhausting_the_stack() {
    for text in [
        "(".repeat(2000),
        "-".repeat(2000),
        "1^".repeat(2000),
        "1?".repeat(2000),
        "sin(".repeat(900),
    ] {
        assert!(evaluate(&text, &scope()).is_err());
    }
}

#[test]
fn texts_take_expressions_in_braces() {
    assert_eq!(interpolate("link {i - 1}", &scope()).unwrap(), "link 2");
    assert_eq!(interpolate("{{{i / 2}}}", &scope()).unwrap(), "{1.5}");
    assert_eq!(interpolate("a {i", &scope()).unwrap_err().span, 2..4);
    assert_eq!(interpolate("a {q}", &scope()).unwrap_err().span, 3..4);
}

proptest! {
    #[test]
    fn any_text_ends_in_a_finite_number_or_an_error_inside_the_text(text in "\\PC{0,60}") {
        match evaluate(&text, &scope()) {
            Ok(n) => prop_assert!(n.value.is_finite()),
            Err(e) => prop_assert!(e.span.start <= e.span.end && e.span.end <= text.len()),
        }
    }

    #[test]
    fn expression_like_text_ends_too(text in "[0-9i+*/^()?:<>=!&|,. a-s-]{0,60}") {
        let _ = interpolate(&text, &scope());
        let _ = evaluate(&text, &scope());
    }
}
