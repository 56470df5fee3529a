/** Generates the block that calls a module. */
import { identifierOf, isIdentifier, keyHcl, plainLine, printHcl, quoteHcl } from './hcl-text.ts'
import { callAddress, parseRegistryAddress } from './registry-address.ts'
import type { ModuleSummary, Variable } from './summary.ts'
import { parseType, type TypeConstraint } from './type-constraint.ts'

/** A block that calls a module, and the inputs that the reader has to fill in. */
export interface ModuleUsage {
  readonly source: string
  /** Of a module of a registry: its version, an argument of its own. */
  readonly version: string | undefined
  /** The `module` block, formatted, with a final newline. */
  readonly text: string
  readonly required: readonly string[]
  readonly optional: readonly string[]
  /** Inputs that are named in a comment and never filled. */
  readonly sensitive: readonly string[]
}

/**
 * The smallest block that calls the module: required inputs with placeholders of their type, sensitive inputs named
 * only, `providers` where the module wants aliases. `withOptional`: the other inputs follow as comments with their
 * defaults. The same text for the same summary.
 */
export function moduleUsage(summary: ModuleSummary, withOptional: boolean): ModuleUsage {
  const { source, version } = moduleCall(summary)
  // JSON modules can name an input with any text; Terraform refuses those, and so does this block.
  const inputs = summary.variables.filter(({ name }) => isIdentifier(name))
  const sensitive = inputs.filter((variable) => variable.sensitive === true)
  const plain = inputs.filter((variable) => variable.sensitive !== true)
  const required = plain.filter((variable) => variable.required)
  const optional = plain.filter((variable) => !variable.required && variable.deprecated === undefined)
  const named = sensitive.filter((variable) => variable.required || withOptional)
  const lines = [
    `module "${blockName(summary)}" {`,
    ...(version === undefined
      ? [`  source = ${quoteHcl(source)}`]
      : [`  source  = ${quoteHcl(source)}`, `  version = ${quoteHcl(version)}`]),
    ...providerLines(summary),
    ...paragraph(required.flatMap(requiredLines)),
    ...paragraph(
      named.map((variable) => `  # ${variable.name}: sensitive, pass it from a variable or a secret store`),
    ),
    ...paragraph(withOptional ? optional.flatMap(optionalLines) : []),
    '}',
  ]
  return {
    source,
    version,
    text: `${lines.join('\n')}\n`,
    required: inputs.filter((variable) => variable.required).map(({ name }) => name),
    optional: optional.map(({ name }) => name),
    sensitive: sensitive.map(({ name }) => name),
  }
}

function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines]
}

/** The address of a module version: of a registry with its version apart, else as `moduleSource`. */
function moduleCall(summary: ModuleSummary): {
  readonly source: string
  readonly version: string | undefined
} {
  const address = parseRegistryAddress(summary.repository)
  if (address === undefined) return { source: moduleSource(summary), version: undefined }
  const path = summary.path === '.' ? '' : `//${summary.path}`
  return { source: `${callAddress(address)}${path}`, version: summary.ref.replace(/^v(?=\d)/, '') }
}

/**
 * `git::<url>[//<path>]?ref=<ref>`; `user@host:path` becomes its `ssh://` form, a local path its `file://` form. Terraform
 * decodes the ref and uses the path as it is written.
 */
export function moduleSource(summary: Pick<ModuleSummary, 'repository' | 'path' | 'ref'>): string {
  const path = summary.path === '.' ? '' : `//${summary.path}`
  const ref = encodeURIComponent(summary.ref).replaceAll('%2F', '/')
  return `git::${gitUrl(summary.repository)}${path}?ref=${ref}`
}

function gitUrl(repository: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(repository)) return repository
  const scp = /^([^/:@]+@)?([^/:]+):(.+)$/.exec(repository)
  if (scp !== null) return `ssh://${scp[1] ?? ''}${scp[2]}/${scp[3]?.replace(/^\/+/, '')}`
  return repository.startsWith('/') ? `file://${repository}` : repository
}

/** The last segment of the path, else the repository's name without `terraform-<provider>-`. */
function blockName(summary: ModuleSummary): string {
  const segment = summary.path === '.' ? undefined : summary.path.split('/').at(-1)
  return identifierOf(segment ?? summary.name.replace(/^terraform-[a-z0-9]+-/, ''))
}

function providerLines(summary: ModuleSummary): readonly string[] {
  const aliases = summary.providers.flatMap((provider) => provider.configuration_aliases ?? [])
  const plain = aliases.filter((alias) => /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(alias))
  return plain.length === 0
    ? []
    : ['', '  providers = {', ...plain.map((alias) => `    ${alias} = ${alias}`), '  }']
}

function requiredLines(variable: Variable): string[] {
  return [...descriptionLine(variable), `  ${variable.name} = ${placeholder(parseType(variable.type), '  ')}`]
}

function optionalLines(variable: Variable): string[] {
  const { default: stated } = variable
  const value = variable.default_expression && typeof stated === 'string' ? stated : printHcl(stated)
  const [first = '', ...rest] = value.split('\n')
  return [
    ...descriptionLine(variable),
    `  # ${variable.name} = ${first}`,
    ...rest.map((line) => `  # ${line}`),
  ]
}

function descriptionLine({ description }: Variable): string[] {
  const text = plainLine(description)
  return text === '' ? [] : [`  # ${text}`]
}

/** A value that the type takes: `"TODO"`, `0`, `false`, `[]`, `{}`, objects with what they require. */
export function placeholder(type: TypeConstraint, indent = ''): string {
  if (type.kind === 'object') {
    const inner = `${indent}  `
    const needed = [...type.attributes].filter(([, { optional }]) => !optional)
    const lines = needed.map(
      ([name, attribute]) => `${inner}${keyHcl(name)} = ${placeholder(attribute.type, inner)}\n`,
    )
    return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`
  }
  if (type.kind === 'tuple') return `[${type.items.map((item) => placeholder(item, indent)).join(', ')}]`
  return PLACEHOLDERS[type.kind]
}

const PLACEHOLDERS = {
  any: '"TODO"',
  string: '"TODO"',
  number: '0',
  bool: 'false',
  list: '[]',
  set: '[]',
  map: '{}',
  unknown: '"TODO"',
} as const
