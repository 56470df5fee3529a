import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callTool } from './handoff.ts'
import type { Stage } from './stage.ts'

interface RoomEvent {
  readonly event_id: number
  readonly event_type: string
  readonly payload: { readonly status?: string; readonly summary?: string }
}

/** A room around one Markdown file: a person edits, an agent proposes, the owner approves, the agent commits. */
export async function showRoom(stage: Stage): Promise<void> {
  stage.say('5. A room: one file, a person with an editor, an agent, and an owner who decides.')
  const folder = join(stage.folder, 'notes')
  mkdirSync(folder)
  const file = join(folder, 'idea.md')
  writeFileSync(file, '# Idea\n\nA shop.\n')
  const owner = await stage.connectStdio('owner', { cwd: folder, flags: ['--room', file, '--as', 'owner'] })
  const agent = await stage.connectStdio('agent', {
    cwd: folder,
    flags: ['--room', file, '--name', 'agent', '--profile', 'full'],
  })

  const opened = await stage.step('the first call opens the room', () =>
    callTool(owner, 'workspace_status', {}),
  )
  await stage.step("a person's edit in an editor becomes a version", async () => {
    writeFileSync(file, '# Idea\n\nA shop for tea.\n')
    const { version } = await callTool(agent, 'workspace_read', {})
    assert.equal(version, Number(opened['version']) + 1)
  })
  const { proposal_id, base_version } = await stage.step(
    'the agent proposes a change against it',
    async () => {
      const { version } = await callTool(agent, 'workspace_read', {})
      const content = '# Idea\n\nA shop for tea.\n\n## Next\n\nFind a supplier.\n'
      return callTool(agent, 'workspace_propose', {
        base_version: version,
        summary: 'Say what comes next',
        content,
      })
    },
  )
  await stage.step('the owner approves it, the agent commits it, and the file has it', async () => {
    await callTool(owner, 'workspace_review', { proposal_id, approve: true })
    await callTool(agent, 'workspace_commit', { proposal_id })
    assert.match(readFileSync(file, 'utf8'), /Find a supplier/)
  })
  await stage.step('a proposal on an old base is refused, not merged in silence', async () => {
    const stale = { base_version, summary: 'Late', content: '# Idea\n' }
    const answer = await agent.callTool({ name: 'workspace_propose', arguments: stale })
    assert.equal(answer.isError, true)
  })
  await stage.step('the events tell the story', async () => {
    const { events } = (await callTool(agent, 'workspace_events', { since_event_id: 0 })) as {
      events?: RoomEvent[]
    }
    for (const { event_id, event_type, payload } of events ?? []) {
      stage.say(`   ${event_id}. ${event_type}${payload.summary ? `: ${payload.summary}` : ''}`)
    }
    assert.ok(events?.some(({ event_type }) => event_type === 'proposal.committed'))
  })
}
