/**
 * One stream for all tabs of a room: a browser allows six connections to one origin. The tab that holds the lock reads
 * the stream and passes every event on; when it goes, the next one takes over from the last event it saw. `Source` reads it.
 */
export function createSharedEventSource(name, Source) {
  const channel = new BroadcastChannel(name)
  const waiting = []
  let receive = (message) => waiting.push(message)
  channel.onmessage = ({ data }) => receive(data)

  return class SharedEventSource {
    onopen = null
    onerror = null
    onmessage = null
    #state = 0
    #resync = []
    #last
    #source
    #giveUp = new AbortController()
    #release = () => {}

    constructor(url) {
      this.#last = Number(new URL(url, location.href).searchParams.get('since_event_id'))
      receive = (message) => this.#take(message)
      for (const message of waiting.splice(0)) this.#take(message)
      channel.postMessage({ kind: 'hello' })
      navigator.locks
        .request(name, { signal: this.#giveUp.signal }, () => this.#lead())
        .catch(() => undefined) // closed while it waited
    }

    get readyState() {
      return this.#source?.readyState ?? this.#state
    }

    addEventListener(_type, listener) {
      this.#resync.push(listener)
    }

    close() {
      this.#state = 2
      this.#giveUp.abort()
      this.#source?.close()
      this.#release()
    }

    /** Reads the stream until this tab closes it. */
    #lead() {
      if (this.#state === 2) return undefined
      const source = new Source(`/workspace/observe?since_event_id=${this.#last}`)
      this.#source = source
      const tell = (message) => {
        channel.postMessage(message)
        this.#take(message)
      }
      source.onopen = () => tell({ kind: 'open' })
      source.onerror = () => tell({ kind: 'error' })
      source.onmessage = ({ data, lastEventId }) => tell({ kind: 'message', data, lastEventId })
      source.addEventListener('resync', () => tell({ kind: 'resync' }))
      return new Promise((done) => {
        this.#release = done
      })
    }

    #take(message) {
      if (this.#state !== 2) this.#handlers[message.kind](message)
    }

    #handlers = {
      hello: () => {
        if (this.#source?.readyState === 1) channel.postMessage({ kind: 'open' })
      },
      open: () => {
        this.#state = 1
        this.onopen?.()
      },
      error: () => {
        this.#state = 0
        this.onerror?.()
      },
      message: (message) => {
        this.#last = Math.max(this.#last, Number(message.lastEventId))
        this.onmessage?.(message)
      },
      resync: () => {
        for (const listener of this.#resync) listener()
      },
    }
  }
}
