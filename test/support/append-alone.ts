import type { CommandContext } from '#commands/command-context.js';
import { asRecorded, type StreamCommand, toNewEvents } from '#commands/handle-command.js';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { type DomainEvent, foldRecorded } from '#kernel/aggregate.js';

/**
 * Appends what a command decides and does nothing else, as a process leaves it that dies between an append to
 * a database of its own and the commit. Returns the whole stream.
 */
export async function appendAlone<State, Event extends DomainEvent>(
  store: EventStore,
  context: CommandContext,
  command: Omit<StreamCommand<State, Event>, 'onConflict' | 'sealed'>,
): Promise<readonly RecordedEvent[]> {
  const loaded = await store.readStream(command.stream);
  const last = loaded.at(-1);
  const decision = await command.decide(foldRecorded(command, loaded), last?.revision ?? null);
  if ('rejection' in decision) throw new Error(decision.rejection.message);
  const events = toNewEvents(context, command.stream, decision.events, { previousHash: last?.metadata.hash ?? null });
  const appended = await store.append(command.stream, last?.revision ?? 'none', events);
  return [...loaded, ...asRecorded(command.stream, events, appended)];
}
