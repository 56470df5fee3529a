/** Ephemeral values where Terraform keeps what it is given, and sensitive ones where it shows it. */
import type { CheckFinding } from './check.ts'
import { SENSITIVE_KEYS } from './check-call.ts'
import type { KeptExpression } from './configuration-names.ts'
import { isEphemeral, isEphemeralForEach, isSensitiveForEach } from './ephemeral-value.ts'
import type { Expression } from './expression.ts'
import type { TypeScope } from './expression-type.ts'
import { plainLine } from './hcl-text.ts'
import { parseExpression } from './parse-expression.ts'
import type { ModuleSummary } from './summary.ts'

/** What Terraform refuses of outputs that are not ephemeral, and of how often resources count. `scope`: of a whole directory. */
export function keptEphemerals(
  kept: readonly KeptExpression[],
  { outputs }: Pick<ModuleSummary, 'outputs'>,
  scope: TypeScope,
): CheckFinding[] {
  const ephemeral = new Set(outputs.flatMap((output) => (output.ephemeral === true ? [output.name] : [])))
  return kept.flatMap(({ argument, name, text, file, line }) => {
    if (argument === 'value' && ephemeral.has(name)) return []
    const of = parseExpression(text)
    if (of === undefined) return []
    const place = { line, code: 'block_refused' as const, ...(file !== undefined && { file }) }
    if (argument === 'for_each' && isSensitiveForEach(of, scope))
      return [{ ...place, message: `${plainLine(name)}: ${SENSITIVE_KEYS}` }]
    if (!isKeptEphemeral(argument, of, scope)) return []
    const shown = plainLine(name)
    const message =
      argument === 'value'
        ? `The output "${shown}" is not ephemeral, so Terraform refuses a value that follows from an ephemeral one. In a module that others call, write ephemeral = true.`
        : `The ${argument} of ${shown} must not follow from an ephemeral value: Terraform keeps which instances there are.`
    return [{ ...place, message }]
  })
}

function isKeptEphemeral(argument: KeptExpression['argument'], of: Expression, scope: TypeScope): boolean {
  return argument === 'for_each'
    ? isEphemeralForEach(of, scope)
    : isEphemeral({ kind: 'expression', of }, scope)
}
