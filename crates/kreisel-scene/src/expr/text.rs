//! Texts with expressions in braces: `"link {i - 1}"`.

use super::{ExprError, Scope, evaluate};

/// Replaces every `{expression}` by its value; `{{` and `}}` stand for braces.
pub(crate) fn interpolate(text: &str, scope: &Scope) -> Result<String, ExprError> {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find(['{', '}']) {
        let brace = at + found;
        out.push_str(&text[at..brace]);
        let rest = &text[brace..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            out.push_str(&rest[..1]);
            at = brace + 2;
            continue;
        }
        if rest.starts_with('}') {
            return Err(ExprError::new(
                "`}` without `{` (write `}}` for the character itself)",
                brace..brace + 1,
            ));
        }
        let Some(length) = rest.find('}') else {
            return Err(ExprError::new(
                "`{` without `}` (write `{{` for the character itself)",
                brace..text.len(),
            ));
        };
        let value = evaluate(&rest[1..length], scope).map_err(|e| {
            let offset = brace + 1;
            ExprError { span: e.span.start + offset..e.span.end + offset, ..e }
        })?;
        // Whole numbers print without a point, so that names read "link 3".
        out.push_str(&(value.value + 0.0).to_string());
        at = brace + length + 1;
    }
    out.push_str(&text[at..]);
    Ok(out)
}
