const RETRY_MS = 5000 // as the server says it to an EventSource
/** Three heartbeats: a connection that is silent for so long is lost, although nothing tells the browser so. */
const SILENT_MS = 45_000

/** A class that reads the event stream as the browser's `EventSource` does, with headers, which that one cannot send. */
export function createBearerEventSource(headers) {
  return class BearerEventSource {
    onopen = null
    onerror = null
    onmessage = null
    readyState = 0
    #last
    #resync = []
    #end = new AbortController()

    constructor(url) {
      const { searchParams } = new URL(url, location.href) // what it expects is in the headers
      this.#last = searchParams.get('since_event_id') ?? '0'
      void this.#follow() // cannot reject
    }

    addEventListener(_type, listener) {
      this.#resync.push(listener)
    }

    close() {
      this.readyState = 2
      this.#end.abort()
    }

    async #follow() {
      const { signal } = this.#end
      while (this.readyState !== 2) {
        const answer = await fetch('/workspace/observe', {
          headers: { ...headers(), 'last-event-id': this.#last },
          signal,
        }).catch(() => undefined)
        if (answer?.status === 200) await this.#read(answer).catch(() => undefined)
        if (signal.aborted) return
        // As an EventSource: a lost connection is made again, a refusal is the end.
        this.readyState = answer && answer.status !== 200 ? 2 : 0
        this.onerror?.()
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }

    async #read(answer) {
      this.readyState = 1
      this.onopen?.()
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (;;) {
        const { done, value } = await nextOf(reader)
        if (done) return
        const frames = (text + value).split('\n\n')
        text = frames.pop()
        for (const frame of frames) this.#take(fieldsOf(frame))
      }
    }

    #take({ id, event, data }) {
      if (this.readyState === 2 || data === undefined) return
      if (id !== undefined) this.#last = id
      if (event === 'resync') for (const listener of this.#resync) listener()
      else this.onmessage?.({ data, lastEventId: this.#last })
    }
  }
}

/** What a reader reads next; of a silent stream its end. */
async function nextOf(reader) {
  const silence = setTimeout(() => reader.cancel(), SILENT_MS)
  try {
    return await reader.read()
  } finally {
    clearTimeout(silence)
  }
}

function fieldsOf(frame) {
  const lines = frame.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
  return Object.fromEntries(
    lines.map((line) => {
      const [name] = line.split(':', 1)
      return [name, line.slice(name.length + 1).replace(/^ /, '')]
    }),
  )
}
