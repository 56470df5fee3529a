import type { ModuleSummary } from '../domain/summary.ts'
import { readmeProse } from './tokens.ts'

/** The texts of one module that are searched. */
export interface ModuleFields {
  readonly title: string
  readonly description: string
  readonly readme: string
  readonly varnames: string
  readonly variables: string
  readonly outputs: string
  readonly resources: string
}

/** Repository name without `terraform-`, then the path without a leading `modules/`. */
export function moduleTitle(summary: Pick<ModuleSummary, 'repository' | 'path'>): string {
  const last = summary.repository.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? ''
  const repository = last.replace(/\.git$/, '').replace(/^terraform-/, '')
  const path = summary.path === '.' ? '' : summary.path.replace(/^modules\//, '')
  return path === '' ? repository : `${repository} ${path}`
}

/** The searched texts of a summary. */
export function moduleFields(summary: ModuleSummary): ModuleFields {
  const { variables, outputs } = summary
  return {
    title: moduleTitle(summary),
    description: summary.description,
    readme: readmeProse(summary.readme_content),
    varnames: variables.map(({ name }) => name).join(' '),
    variables: variables.map(({ name, description, type }) => `${name} ${description} ${type}`).join('\n'),
    outputs: outputs.map(({ name, description }) => `${name} ${description}`).join('\n'),
    resources: resourceWords(summary).join(' '),
  }
}

/** Provider names, resource and data types, and sources of nested modules. */
export function resourceWords(summary: ModuleSummary): string[] {
  return [
    ...new Set([
      ...summary.providers.map(({ name }) => name),
      ...summary.resources.map(({ type }) => type),
      ...summary.data.map(({ type }) => type),
      ...summary.modules.map(({ source }) => source),
    ]),
  ]
}
