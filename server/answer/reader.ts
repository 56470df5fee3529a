import { CLIENT_FACTS } from '../client-facts.ts'
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
  if (name === undefined) return undefined
  const known = CLIENT_FACTS.find(({ answers }) =>
    answers?.client_info.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    ),
  )
  return known?.answers?.channel
}
