import { type ModuleSummary, SUMMARY_SCHEMA } from '../domain/summary.ts'

/** A root module with nothing in it: a test adds what it is about. */
export const EMPTY_SUMMARY: ModuleSummary = {
  repository: 'https://git.example.com/acme/terraform-aws-queue',
  ref: 'v1.0.0',
  path: '.',
  description: '',
  variables: [],
  outputs: [],
  providers: [],
  modules: [],
  readme_content: '',
  schema: SUMMARY_SCHEMA,
  name: 'terraform-aws-queue',
  kind: 'root',
  ref_kind: 'tag',
  commit: '',
  required_version: null,
  resources: [],
  data: [],
  ephemeral_resources: [],
  moved: [],
  licence: null,
  files: [],
  diagnostics: [],
}
