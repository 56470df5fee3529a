import { createHash } from 'node:crypto'
import { compare } from '../domain/order.ts'
import type { ModuleSummary } from '../domain/summary.ts'

/**
 * `sha256:<hex>` of what callers of a module depend on: inputs with type, default and rules, outputs, required providers
 * and versions. Descriptions, code and the order of blocks do not count.
 */
export function interfaceDigest(summary: ModuleSummary): string {
  const { variables, outputs, providers, required_version } = summary
  const inputs = variables.map(({ name, type, required, nullable, sensitive, ephemeral, ...rest }) => ({
    name,
    type: type.replace(/\s+/g, ''),
    required,
    nullable: nullable ?? true,
    sensitive: sensitive ?? false,
    ephemeral: ephemeral ?? false,
    default: rest.default,
    validations: (rest.validations ?? []).map(({ condition }) => condition.replace(/\s+/g, '')).sort(),
  }))
  const facts = {
    inputs: byName(inputs),
    outputs: byName(
      outputs.map(({ name, sensitive, ephemeral }) => ({ name, sensitive, ephemeral: ephemeral ?? false })),
    ),
    providers: byName(providers.map(({ name, source, version }) => ({ name, source, version }))),
    required_version,
  }
  return `sha256:${createHash('sha256').update(JSON.stringify(facts)).digest('hex')}`
}

function byName<T extends { readonly name: string }>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => compare(a.name, b.name))
}
