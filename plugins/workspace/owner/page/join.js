import { h } from 'preact'
import { useState } from 'preact/hooks'
import { forgetInvitation, get, invitationFromAddress, join, Refused } from './api.js'
import { note } from './attempt.js'
import { Field, visible } from './dom.js'
import { update } from './store.js'

/** Waits until a guest with an invitation has joined. An invitation is not used up by a participant. */
export async function joinIfInvited() {
  const secret = invitationFromAddress()
  if (secret === undefined) return
  const status = await get('/workspace/status').catch(() => undefined)
  if (status) {
    forgetInvitation()
    note(`This browser is in the room as ${status.you.name}. Open the invitation in another browser.`)
    return
  }
  await new Promise((done) => {
    update({ joining: { secret, done } })
  })
  update({ joining: undefined })
}

/** What a guest sees before joining. */
export function Join({ secret, done }) {
  const [name, setName] = useState(() => sessionStorage.getItem('satchel:name') ?? '')
  const [failed, fail] = useState()
  const keep = (next) => {
    setName(next)
    sessionStorage.setItem('satchel:name', next)
  }
  const onSubmit = async (event) => {
    event.preventDefault()
    try {
      await join(secret, name.trim())
      done()
    } catch (thrown) {
      fail(thrown instanceof Refused ? thrown.message : 'The room could not be reached. Try again.')
    }
  }
  return h(
    'main',
    { class: 'join' },
    h(
      'form',
      { class: 'paper form', onSubmit, 'aria-label': 'Join' },
      h('h1', {}, 'You are invited to a room'),
      h('p', {}, 'Others see this name beside everything that you do.'),
      h(Field, {
        label: 'Your name',
        value: name,
        keep,
        required: true,
        maxlength: 80,
        autocomplete: 'name',
      }),
      failed && h('p', { class: 'failed', role: 'alert' }, visible(failed)),
      h('button', { type: 'submit', class: 'primary' }, 'Join'),
    ),
  )
}
