/** Names of fields and keys whose values are shown nowhere. */
const SECRET_NAME = /secret|token|password|passwd|authorization|cookie|api_?key|bearer|credential/i
/** Keeps a user name without password in an ssh URL: it is not a secret, and `git@` is part of every such address. */
const URL_USER_INFO = /(\b(?!ssh:\/\/[^\s/@:]+@)[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
/** A password here may hold what ends the user info elsewhere, where it is not percent-encoded: all up to the last `@`. */
const DATABASE_USER_INFO = /(\bpostgres(?:ql)?:\/\/)\S+@/gi
const URL_PASSWORD = /([?&](?:ssl)?password=)[^&\s"']+/gi
const BEARER = /\b(bearer\s+|ses_|satchel_tok_)[A-Za-z0-9._~+/=-]{8,}/gi
const INVITATION = /(\bsatchel:\/\/join\/)[^\s"']+/gi

/** Reports whether the value under this name is a secret, regardless of its form. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Removes text that looks like a credential: user info or password of a URL, a bearer token, an invitation. */
export function redactText(text: string): string {
  return text
    .replace(DATABASE_USER_INFO, '$1[redacted]@')
    .replace(URL_USER_INFO, '$1[redacted]@')
    .replace(URL_PASSWORD, '$1[redacted]')
    .replace(BEARER, '[redacted]')
    .replace(INVITATION, '$1[redacted]')
}
