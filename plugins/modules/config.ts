import * as z from 'zod'

/** Largest configuration, as a file, as text or as the body of a request. modules design 7, surface 6 */
export const CONFIG_MAX_BYTES = 1024 * 1024

/** Embedding strategies (spec module-ingestion "Embedding options"; names by surface 1). */
export const STRATEGIES = ['vectordb-default', 'local-transformers', 'hosted-a', 'hosted-b'] as const

/** A list of addresses alone is a likely first try. */
const entryFault = ({ code }: { readonly code?: string | undefined }): string | undefined =>
  code === 'invalid_type' ? 'an entry is a mapping: write `- url: https://…`' : undefined

/** One repository of the configuration, the ingest request and `ingest_modules`. Texts are checked when it is read. */
export const repositoryEntry = z.strictObject(
  {
    url: z
      .string()
      .describe(
        'Git URL (https, ssh, user@host:path, file), local path, or registry address [host/]namespace/name/provider.',
      ),
    name: z.string().optional().describe("Name in file names and lists; absent: the URL's last part."),
    branches: z.array(z.string()).default([]).describe('Branches (or full refs) to read.'),
    include_tags: z.boolean().default(true).describe('Read tags, newest first.'),
    max_tags: z.number().int().min(0).nullable().default(1).describe('How many tags; 0 or null: all.'),
    path: z.string().default('.').describe('Directory of the module inside the repository.'),
    recursive: z.boolean().optional().describe('Read every module directory below path; absent: false.'),
    exclude_paths: z.array(z.string()).default([]).describe('Globs of directories to leave out.'),
  },
  { error: entryFault },
)
export type RepositoryEntry = z.output<typeof repositoryEntry>

const share = z.number().min(0).max(1) // spec module-ingestion "Limits"

export const embeddingOptions = z.strictObject({
  enabled: z.boolean().default(false).describe('Keep vectors of the summaries.'),
  strategy: z.enum(STRATEGIES).default('vectordb-default').describe('How texts become vectors.'),
  vectordb_path: z.string().default('./vectordb').describe('Folder of the embedded store.'),
  memory_vectors: z
    .number()
    .int()
    .min(0)
    .default(100_000)
    .describe('More vectors of a catalogue in PostgreSQL are kept there by pgvector, where it has that.'),
  collection_name: z.string().default('infra_modules').describe('Name of the collection.'),
  vectordb_host: z.string().nullish().describe('Host of a vector database server; absent: embedded store.'),
  vectordb_port: z.number().int().min(1).max(65_535).nullish().describe('Port of that server.'),
  sentence_transformers_model: z.string().nullish().describe('Model of local-transformers: name or folder.'),
  hosted_a_api_key: z.string().nullish().describe('Key of hosted-a.'),
  hosted_a_model: z.string().nullish().describe('Model of hosted-a.'),
  hosted_a_base_url: z.string().nullish().describe('Base URL of hosted-a.'),
  hosted_b_api_key: z.string().nullish().describe('Key of hosted-b.'),
  hosted_b_model: z.string().nullish().describe('Model of hosted-b.'),
  hosted_b_base_url: z.string().nullish().describe('Base URL of hosted-b.'),
  include_description: z.boolean().default(true).describe('Embed the description.'),
  include_readme: z.boolean().default(true).describe('Embed the start of the README.'),
  include_variables: z.boolean().default(true).describe('Embed the inputs.'),
  include_outputs: z.boolean().default(true).describe('Embed the outputs.'),
  include_resource_types: z.boolean().default(true).describe('Embed providers and module sources.'),
  enable_hybrid_search: z.boolean().default(true).describe('Join vector and keyword ranking.'),
  keyword_weight: share.default(0.5).describe('Weight of the keyword ranking.'),
  vector_weight: share.default(0.5).describe('Weight of the vector ranking.'),
})
export type EmbeddingOptions = z.output<typeof embeddingOptions>

export const mcpOptions = z.strictObject({
  auto_ingest: z.boolean().default(true).describe('Ingest when a module tool finds no index, and refresh.'),
  ingest_on_startup: z.boolean().default(false).describe('Ingest as soon as the MCP server runs.'),
  refresh_interval_hours: z.number().int().min(0).default(24).describe('Hours between runs; 0: never.'),
  config_file: z.string().nullish().describe('Configuration of these runs; absent: this one.'),
})

/** The module service's keys, at the top level of the configuration file. */
export const modulesConfig = z.object({
  repositories: z.array(repositoryEntry).default([]).describe('Repositories to process.'),
  output_dir: z.string().default('./output').describe('Folder of the JSON summaries.'),
  clone_dir: z.string().default('./repos').describe('Folder of the bare clones.'),
  catalogue: z
    .string()
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe('Name of the catalogue in the database of storage.url; null: it is files, in output_dir.'),
  registry_aliases: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Registry addresses that no URL tells: `registry.example.com/acme/net/aws` → URL or owner/name of a repository.',
    ),
  read_missing_refs: z
    .boolean()
    .default(true)
    .describe('Read a ref that a call names and no ingest has read, if its repository is configured.'),
  embedding: embeddingOptions.prefault({}).describe('Vector database settings.'),
  mcp: mcpOptions.prefault({}).describe('How the MCP server keeps the index fresh.'),
})
export type ModulesConfig = z.output<typeof modulesConfig>

/** Environment names of spec module-ingestion "Runtime settings", and the keys they override. */
export const MODULES_ENV: Readonly<Record<string, string>> = {
  SERVICE_OUTPUT_DIR: 'output_dir',
  SERVICE_MCP_AUTO_INGEST: 'mcp.auto_ingest',
  SERVICE_MCP_INGEST_ON_STARTUP: 'mcp.ingest_on_startup',
  SERVICE_MCP_REFRESH_INTERVAL_HOURS: 'mcp.refresh_interval_hours',
  HOSTED_A_API_KEY: 'embedding.hosted_a_api_key',
  HOSTED_B_API_KEY: 'embedding.hosted_b_api_key',
}
