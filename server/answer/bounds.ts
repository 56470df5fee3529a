/** What a client hands to its model of a tool result: the text, the structured content, or both. */
export type Channel = 'text' | 'data' | 'both'

/** Bytes per token in every bound and price (quality, section 2). */
export const BYTES_PER_TOKEN = 4
/** Maximum size of an answer in tokens: default and highest setting. Claude Code refuses results above 25,000. */
export const ANSWER_TOKENS = { default: 4000, min: 500, max: 10_000 } as const
/** The least that `max_tokens` of a call can ask for. */
export const CALL_TOKENS_MIN = 100

/** The setting of the channel: `auto` decides by the client's name. */
export const CHANNEL_SETTINGS = ['auto', 'text', 'data', 'both'] as const

/** Part of `tools:` of the configuration. */
export interface AnswerSettings {
  readonly answer_channel: (typeof CHANNEL_SETTINGS)[number]
  readonly answer_tokens: number
}

export const ANSWER_DEFAULTS: AnswerSettings = {
  answer_channel: 'auto',
  answer_tokens: ANSWER_TOKENS.default,
}
