import { HANDOFF_SCHEMA } from '../../generated/handoff-schema.ts'
import { defineResource } from '../../server/plugin.ts'

/** `handoff://schema/v0.1`: the JSON Schema of the record. */
export function schemaResource() {
  return defineResource({
    uri: 'handoff://schema/v0.1',
    name: 'handoff-schema',
    title: 'Handoff record schema',
    description: 'JSON Schema (draft-07) of the handoff record, version 0.1.',
    mimeType: 'application/schema+json',
    subscribable: false,
    cache: { ttlMs: 3_600_000, scope: 'public' },
    read: async () => ({
      mimeType: 'application/schema+json',
      text: JSON.stringify(HANDOFF_SCHEMA, null, 2),
    }),
  })
}
