import { defineRefusals } from '../contract/refusals.ts'

/** The refusals of tokens: at every door of a server, and of `satchel token`. */
export const refusals = defineRefusals({
  scope_missing: {
    code: 'forbidden',
    message: 'The token lacks the scope "{scope}".',
    next: 'Use a token that has it.',
  },
  token_unknown: {
    code: 'unauthorized',
    message: 'The server does not know this token: it was revoked, or another user created it.',
    next: 'Create one with: satchel token create NAME',
  },
  token_expired: {
    code: 'unauthorized',
    message: 'The token "{name}" expired at {at}.',
    next: 'Create another with: satchel token create NAME',
  },
  access_token_invalid: {
    code: 'unauthorized',
    message: 'The access token is not accepted: {fault}.',
    next: 'Get another from the authorization server, for this server.',
  },
  issuer_unavailable: {
    code: 'unavailable',
    message: 'The access token cannot be checked: the keys of {issuer} cannot be read.',
    next: 'Try again in a few seconds.',
  },
  tokens_unreadable: {
    code: 'unavailable',
    message: 'The tokens in {file} cannot be used: {fault}.',
    next: '{repair}',
  },
  tokens_not_written: {
    code: 'unavailable',
    message: 'The tokens could not be written to {file} ({error}).',
    next: 'Nothing changed. Let this user write there, or set XDG_STATE_HOME to a folder where it may.',
  },
  tokens_busy: {
    code: 'unavailable',
    message: 'Another process is changing the tokens.',
    next: 'Try again.',
  },
  token_name: {
    code: 'invalid',
    message: '"{name}" is not a name of a token.',
    next: 'Use at most 64 lower case letters, digits, dots, hyphens and underscores, a letter or digit first.',
  },
  token_name_taken: {
    code: 'conflict',
    message: 'There is a token "{name}".',
    next: 'Choose another name, or revoke it with: satchel token revoke {name}',
  },
  token_not_found: { code: 'not_found', message: 'There is no token "{name}".', next: '{hint}' },
  token_limit: {
    code: 'too_large',
    message: 'There are {count} tokens, which is the limit.',
    next: 'Revoke those that are not used: satchel token list',
  },
  scope_unknown: {
    code: 'invalid',
    message: '"{scope}" is not a scope.',
    next: 'Use read, write or admin, or one of them for a plugin, as in PLUGIN:read.{hint}',
  },
  expiry_invalid: {
    code: 'invalid',
    message: '"{expires}" is not a duration.',
    next: 'Use a number with m, h or d, as in 30d, up to 3650d.',
  },
})
