export interface ServerSentEvent {
  /** Absent in the stream: `message`. */
  readonly event: string
  readonly data: string
}

/** Yields the events of a stream; comments and other fields are ignored. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<ServerSentEvent> {
  if (body === null) return
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event) yield event
    }
  }
}

function parseFrame(frame: string): ServerSentEvent | undefined {
  const fields = frame.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (name: string): string[] =>
    fields.flatMap((field) => (field?.[1] === name && field[2] !== undefined ? [field[2]] : []))
  const data = valuesOf('data')
  return data.length === 0
    ? undefined
    : { event: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }
}
