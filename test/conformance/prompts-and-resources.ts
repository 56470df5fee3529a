import type { RawPrompt, RawResource, WireResult } from '../../server/mcp/raw-table.ts'
import { PNG } from './content.ts'
import { inputRequiredPrompt } from './input-required.ts'

const user = (content: WireResult): WireResult => ({ role: 'user', content })
const words = (text: string): WireResult => user({ type: 'text', text })
const named = (name: string, ...required: string[]) => ({
  name,
  description: `What the conformance suite expects of ${name}.`,
  arguments: required.map((argument) => ({ name: argument, description: argument, required: true })),
})

/** The prompts of the suite. */
export const prompts: readonly RawPrompt[] = [
  {
    descriptor: named('test_simple_prompt'),
    get: async () => ({ messages: [words('This is a simple prompt for testing.')] }),
  },
  {
    descriptor: named('test_prompt_with_arguments', 'arg1', 'arg2'),
    get: async ({ arg1, arg2 }) => ({
      messages: [words(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  },
  {
    descriptor: named('test_prompt_with_embedded_resource', 'resourceUri'),
    get: async ({ resourceUri: uri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        words('Please process the embedded resource above.'),
      ],
    }),
  },
  {
    descriptor: named('test_prompt_with_image'),
    get: async () => ({
      messages: [
        user({ type: 'image', data: PNG, mimeType: 'image/png' }),
        words('Please analyze the image above.'),
      ],
    }),
  },
  inputRequiredPrompt,
]

const fixed = (uri: string, mimeType: string, body: WireResult): RawResource => ({
  descriptor: { uri, name: uri.slice('test://'.length), description: `${uri} of the suite.`, mimeType },
  read: (asked) => (asked === uri ? { contents: [{ uri, mimeType, ...body }] } : undefined),
})

/** The resources of the suite. */
export const resources: readonly RawResource[] = [
  fixed('test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' }),
  fixed('test://static-binary', 'image/png', { blob: PNG }),
  fixed('test://watched-resource', 'text/plain', { text: 'Watched.' }),
  {
    descriptor: {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'A template of the suite.',
      mimeType: 'application/json',
    },
    read(uri) {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
      if (id === undefined) return undefined
      const content = { id, templateTest: true, data: `Data for ID: ${id}` }
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(content) }] }
    },
  },
]
