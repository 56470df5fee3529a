/** Whether Terraform can read a version constraint, and what was probably meant by one that it cannot. */

const LABEL = '[0-9A-Za-z~-]'
/** As Terraform reads them: `1.2`, `v1.2.3-rc1`, `1.2.3+build`; a prerelease that starts with a letter needs no hyphen. */
const VERSION = `v?\\d+(?:\\.\\d+)*(?:-\\d${LABEL}*(?:\\.${LABEL}+)*|-?[A-Za-z~-]${LABEL}*(?:\\.${LABEL}+)*)?(?:\\+${LABEL}+(?:\\.${LABEL}+)*)?`
const CLAUSE = new RegExp(`^\\s*(?:=|!=|>|<|>=|<=|~>)?\\s*${VERSION}\\s*$`)

/** Whether Terraform reads a text as a constraint. */
export function isConstraint(text: string): boolean {
  return text.split(',').every((clause) => CLAUSE.test(clause))
}

/** A constraint that says what this text says in the way of another tool, or with a slip; undefined where that is a guess. */
export function correctedConstraint(text: string): string | undefined {
  const written = text.split(',').flatMap((part) => part.trim().split(/(?<=[0-9A-Za-z*])\s+(?=[=!<>~^])/))
  const clauses = written.filter((clause) => clause !== '').map(correctedClause)
  const joined = clauses.join(', ')
  return clauses.includes(undefined) || !isConstraint(joined) ? undefined : joined
}

/** Operators that were probably meant by others. */
const SLIPS: Readonly<Record<string, string>> = {
  '=>': '>=',
  '=<': '<=',
  '==': '=',
  '=!': '!=',
  '<>': '!=',
  '>~': '~>',
}

function correctedClause(clause: string): string | undefined {
  if (CLAUSE.test(clause)) return clause
  const { 1: signs = '', 2: version = '' } = /^([=!<>~^\s]*)(.*)$/s.exec(clause) ?? []
  const operator = signs.replace(/\s/g, '')
  const { 1: numbers, 2: wildcard } = /^v?(\d+(?:\.\d+){0,2})((?:\.[xX*])*)$/.exec(version) ?? []
  const parts = numbers?.split('.').map(Number) ?? []
  if (numbers === undefined || wildcard !== '')
    return numbers !== undefined && (operator === '' || operator === '=') ? `~> ${numbers}.0` : undefined
  if (operator === '~') return parts.length === 3 ? `~> ${numbers}` : `~> ${numbers}.0`
  if (operator === '^') return caretOf(parts)
  return `${SLIPS[operator] ?? operator} ${version}`
}

/** `^` of other tools: up to the next version whose first part that is not 0 is greater. */
function caretOf([major = 0, minor, patch]: readonly number[]): string {
  if (minor === undefined) return `~> ${major}.0`
  if (major > 0) return patch ? `~> ${major}.${minor}, >= ${major}.${minor}.${patch}` : `~> ${major}.${minor}`
  return minor === 0 && patch !== undefined ? `0.0.${patch}` : `~> 0.${minor}.${patch ?? 0}`
}
