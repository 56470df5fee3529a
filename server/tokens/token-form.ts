/** Starts every token, so that programs that search for secrets recognize one. */
export const TOKEN_PREFIX = 'satchel_tok_'
/** The name of a token. */
export const TOKEN_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/
