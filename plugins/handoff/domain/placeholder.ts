import { once } from '../../../server/plugin.ts'

/** The name by which a cloud knows a secret is not the secret, though it holds that word and looks random. */
export const RESOURCE_NAME =
  /\barn:aws[a-z-]{0,12}:(?:secretsmanager|ssm|kms|iam|sts):[a-z0-9-]{0,30}:\d{0,12}:[A-Za-z0-9/+=.@:_-]{1,300}/g

/** A value that another program or person puts in: a variable, a template, or a mask. */
const PLACEHOLDER =
  /^(?:\$|%|process\.env|os\.(?:environ|getenv)|env[.[(]|ENV[.[]|getenv|System\.getenv|import\.meta|\{\{|<|(?:secrets|vars?|local|params|inputs)\.)/
const MASK =
  /^(?:[x*.#\u2022_-]{3,}|[^A-Za-z0-9]*(?:redacted|filtered|masked|hidden|removed|omitted)[^A-Za-z0-9]*)$/i

/** Where a secret is kept or comes from, in place of it: a path of a vault, a name in a secret manager, a file or folder, an address of words. */
const REFERENCE =
  /^(?:op:\/\/|vault:|secrets?\/|kv\/|ref\+|sm:\/\/|(?:aws|gcp|azure)-?(?:sm|ssm|kv|secrets?):|projects\/[^/]{1,100}\/secrets\/|https:\/\/[a-z0-9-]{1,60}\.vault\.azure\.net\/|\/(?:run\/secrets|etc|var|home|opt|usr|Users|root|tmp|mnt|srv|Volumes|workspaces?)\/|[a-z]:\\Users\\|https?:\/\/[a-z0-9.-]{1,100}(?::\d{1,5})?(?:\/[a-z_-]{0,40}){0,10}$)/i

/** An expression of a program: `config.get(`, `Credentials):`. */
const EXPRESSION = /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*[([<)]/

/** All of these in two patterns: a text may hold fifty thousand values. */
const whole = once(() => new RegExp(`${EXPRESSION.source}|${PLACEHOLDER.source}`))
const wholeInAnyCase = once(() => new RegExp(`${REFERENCE.source}|${MASK.source}`, 'i'))

/** True for a value that is in the place of a secret: a variable, a template, a mask, an expression, or where it is kept. */
export function isPlaceholder(value: string): boolean {
  if (whole().test(value) || wholeInAnyCase().test(value)) return true
  // `user:$TOKEN` of a URL: the password decides.
  const colon = value.indexOf(':')
  return colon >= 0 && isStandIn(value.slice(colon + 1))
}

function isStandIn(value: string): boolean {
  return PLACEHOLDER.test(value) || MASK.test(value)
}
