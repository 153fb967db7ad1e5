//! The macro that writes a table of properties down.

/// Declares a table of properties, one line per key, in one of three shapes:
///
/// ```text
/// key: Codec = it.place.of.the.field => .unit("m").positive();
/// key: Codec = it.place as Enum::Variant;                       // a key of a choice
/// key: Codec = { get: |it| Some(value), set: |it, x| it.field = x };
/// ```
///
/// The documentation of a line is what the reference page and the panel say; defaults are added to
/// it. A key that is no identifier takes `.called("its-name")`.
macro_rules! table {
    ($(#[doc = $doc:literal])* static $NAME:ident: $T:ty = $name:literal, $title:literal, $written:ident;
     blank $blank:expr; $(choices $choices:expr;)? $(check $check:expr;)? { $($lines:tt)* }) => {
        $(#[doc = $doc])*
        pub(crate) static $NAME: $crate::property::Table = $crate::property::Table {
            name: $name,
            title: $title,
            written: $crate::property::Title::$written,
            doc: concat!($($doc),*),
            properties: table!(@ $T, [] $($lines)*),
            choices: table!(@or &[], $($choices)?),
            blank: || { let blank: $T = $blank; Box::new(blank) },
            check: |any, world| {
                let check: fn(&$T, &kreisel_dynamics::World) -> Result<(), $crate::property::Fault> =
                    table!(@or |_, _| Ok(()), $($check)?);
                any.downcast_ref::<$T>().map_or(Ok(()), |it| check(it, world))
            },
        };
        impl $crate::property::Described for $T {
            fn table() -> &'static $crate::property::Table { &$NAME }
            fn blank() -> Self { $blank }
        }
    };

    (@or $default:expr, ) => { $default };
    (@or $default:expr, $given:expr) => { $given };
    (@ $T:ty, [$($done:expr,)*]) => { &[$($done,)*] };

    // a field
    (@ $T:ty, [$($done:expr,)*] $(#[doc = $doc:literal])* $key:ident: $C:ty = $it:ident.$($place:ident).+
     $(=> $(.$m:ident($($a:expr),*))+)?; $($rest:tt)*) => {
        table!(@ $T, [$($done,)* table!(@one $T, [$($doc),*], $key, $C,
            |$it| Some(&$it.$($place).+), |$it, x| $it.$($place).+ = x)$($(.$m($($a),*))+)?,] $($rest)*)
    };
    // the content of a variant
    (@ $T:ty, [$($done:expr,)*] $(#[doc = $doc:literal])* $key:ident: $C:ty = $it:ident.$($place:ident).+ as $E:ident::$V:ident
     $(=> $(.$m:ident($($a:expr),*))+)?; $($rest:tt)*) => {
        table!(@ $T, [$($done,)* table!(@one $T, [$($doc),*], $key, $C,
            |$it| match &$it.$($place).+ { $E::$V(x) => Some(x), _ => None },
            |$it, x| $it.$($place).+ = $E::$V(x))$($(.$m($($a),*))+)?,] $($rest)*)
    };
    // anything else
    (@ $T:ty, [$($done:expr,)*] $(#[doc = $doc:literal])* $key:ident: $C:ty =
     { get: |$g:ident| $get:expr, set: |$s:ident, $v:ident| $set:expr }
     $(=> $(.$m:ident($($a:expr),*))+)?; $($rest:tt)*) => {
        table!(@ $T, [$($done,)* table!(@one $T, [$($doc),*], $key, $C,
            |$g| ($get).as_ref(), |$s, $v| $set)$($(.$m($($a),*))+)?,] $($rest)*)
    };

    (@one $T:ty, [$($doc:literal),*], $key:ident, $C:ty, |$g:ident| $get:expr, |$s:ident, $v:ident| $set:expr) => {
        $crate::property::Property::new(
            $crate::property::codec::plain(stringify!($key)),
            concat!($($doc),*),
            <$C as $crate::property::Written>::FORM,
            |any, world| {
                let Some($g) = any.downcast_ref::<$T>() else { return $crate::property::Value::None };
                $get.map_or($crate::property::Value::None, |x| <$C as $crate::property::Codec<_>>::write(x, world))
            },
            |any, value, world| {
                let Some($s) = any.downcast_mut::<$T>() else {
                    return Err($crate::property::Fault::new("an item of another kind"));
                };
                let $v = <$C as $crate::property::Codec<_>>::read(value, world)?;
                $set;
                Ok(())
            },
        )
    };
}
pub(crate) use table;
