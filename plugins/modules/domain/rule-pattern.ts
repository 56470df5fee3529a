/**
 * Regular expressions of rules, which Terraform gives to RE2. Only those are tried here that mean the same in JavaScript and
 * cannot take long: a module is not trusted.
 */

/** Longer texts are not tried: what a pattern costs grows with a power of the length. */
const MAX_TEXT = 64
const MAX_PATTERN = 200
/** Repetitions of one pattern; the cost is at most the length to the power of their number. */
const MAX_REPETITIONS = 4
/** Flags and named groups, classes of POSIX and Unicode, back references, anchors of RE2, an empty class. */
const DIFFERS = /\(\?|\[:|\\[pPAzZQECx0-9kuc]|\[\^?\]/
/** A group that is repeated and holds an alternative or a repetition. */
const NESTED = /\([^()]*[*+{|?][^()]*\)[*+{?]/
const REPEATED_GROUP = /\)[*+{?]/
/** Escaped parentheses, parentheses of a class, and nested groups. */
const OTHER_GROUPS = /\\[()]|\[[^\]]*[()]|\(.*\(/
const REPETITION = /[*+]|\{\d*,?\d*\}/g

/** Whether a text has a match of the pattern; undefined where that is not known for certain. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  if (pattern.length > MAX_PATTERN || text.length > MAX_TEXT || !/^[\x20-\x7e]*$/.test(text)) return undefined
  if (!/^[\x20-\x7e]*$/.test(pattern) || DIFFERS.test(pattern) || NESTED.test(pattern)) return undefined
  if (REPEATED_GROUP.test(pattern) && OTHER_GROUPS.test(pattern)) return undefined
  const repetitions = pattern.match(REPETITION) ?? []
  if (repetitions.length > MAX_REPETITIONS || repetitions.some((one) => /\d{4}/.test(one))) return undefined
  if (/[*+?}][*+{]/.test(pattern)) return undefined // RE2 refuses most of them
  try {
    return new RegExp(pattern).test(text)
  } catch {
    return undefined
  }
}
