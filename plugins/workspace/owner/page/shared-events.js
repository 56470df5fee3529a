/**
 * One stream for all tabs of a room: a browser allows six connections to one origin. The tab that holds the lock reads
 * the stream and passes every event on; when it goes, the next one takes over from the last event it saw. `Source` reads it. Tabs that show another room of
 * the same address (the `expects` of the url) have a stream of their own: what they say to each other is not heard here.
 */
export function createSharedEventSource(name, Source) {
  const talk = openTalk(name)

  return class SharedEventSource {
    onopen = null
    onerror = null
    onmessage = null
    #state = 0
    #resync = []
    #room
    #last
    #source
    #giveUp = new AbortController()
    #release = () => {}

    constructor(url) {
      const { searchParams } = new URL(url, location.href)
      this.#room = searchParams.get('expects') ?? ''
      this.#last = Number(searchParams.get('since_event_id'))
      talk.listen(this.#room, (message) => this.#take(message))
      talk.say({ kind: 'hello' })
      navigator.locks
        .request(`${name}:${this.#room}`, { signal: this.#giveUp.signal }, () => this.#lead())
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
      const source = new Source(addressOf(this.#last, this.#room))
      this.#source = source
      const tell = (message) => {
        talk.say(message)
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
        if (this.#source?.readyState === 1) talk.say({ kind: 'open' })
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

/** What the tabs of one room tell each other. What came before the first `listen` is kept for it. */
function openTalk(name) {
  const channel = new BroadcastChannel(name)
  const waiting = []
  let own
  let receive = (message) => waiting.push(message)
  channel.onmessage = ({ data }) => receive(data)
  return {
    say: (message) => channel.postMessage({ ...message, room: own }),
    listen(room, take) {
      own = room
      receive = (message) => {
        if (message.room === room) take(message)
      }
      for (const message of waiting.splice(0)) receive(message)
    },
  }
}

function addressOf(last, room) {
  return `/workspace/observe?since_event_id=${last}${room === '' ? '' : `&expects=${room}`}`
}
