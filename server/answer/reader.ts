import { CLIENT_FACTS } from '../client-facts.ts'
import { once } from '../platform/once.ts'
import { ANSWER_TOKENS, type AnswerSettings, CALL_TOKENS_MIN, type Channel } from './bounds.ts'

/** The reader of an answer. */
export interface Reader {
  /** Undefined: unknown. It gets text and data in full, and the longer of them counts. */
  readonly channel: Channel | undefined
  /** Maximum size of the answer as the model gets it. */
  readonly maxTokens: number
  /** True: the client gets the data as a second block of text, so that the model gets both and both count. */
  readonly dataIsText?: true
}

/**
 * Decides what the model of a client gets to see: the setting, else what `clients.json` knows of the client's name.
 * `asked` is the `max_tokens` of the call; it may exceed the setting up to the highest bound.
 */
export function readerOf(clientName: string | undefined, settings: AnswerSettings, asked?: unknown): Reader {
  const channel = settings.answer_channel === 'auto' ? channelOf(clientName) : settings.answer_channel
  const maxTokens =
    typeof asked === 'number' && Number.isFinite(asked)
      ? Math.min(Math.max(asked, CALL_TOKENS_MIN), ANSWER_TOKENS.max)
      : settings.answer_tokens
  return { channel, maxTokens }
}

function channelOf(name: string | undefined): Channel | undefined {
  return name === undefined ? undefined : patterns().find(({ matches }) => matches(name))?.channel
}

/** The names of all known clients, in the order of `clients.json`. */
const patterns = once(() =>
  CLIENT_FACTS.flatMap(({ answers }) =>
    (answers?.client_info ?? []).map((pattern) => {
      const start = pattern.slice(0, -1)
      const matches = pattern.endsWith('*')
        ? (name: string): boolean => name.startsWith(start)
        : (name: string): boolean => name === pattern
      return { matches, channel: answers?.channel }
    }),
  ),
)
