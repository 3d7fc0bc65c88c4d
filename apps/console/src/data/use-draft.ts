import { useCallback, useEffect, useState } from 'react';
import { useSession } from './session.js';

const PREFIX = 'workforce-hr.draft.';

type Calculation<Content> = (former: Content) => Partial<Content>;
/** The changed part of a form's content, or how it follows from the present content. */
type Change<Content> = Partial<Content> | Calculation<Content>;

/**
 * The content of a form that survives a click elsewhere, a reload and the end of the session. It is kept in
 * this tab alone, by user, until it is sent or discarded, and it is gone once the user signs out or the tab
 * is closed.
 *
 * @param name identifies the form, such as `hire`
 * @param initial the content without a draft
 */
export function useDraft<Content extends object>(
  name: string,
  initial: Content,
): {
  readonly content: Content;
  readonly change: (change: Change<Content>) => void;
  /** Whether the content is that of a draft from before. */
  readonly isRestored: boolean;
  readonly discard: () => void;
} {
  const key = `${PREFIX}${useSession().user.id}.${name}`;
  const [{ content, isRestored }, setState] = useState(() => {
    const draft = readDraft<Content>(key);
    return { content: { ...initial, ...draft }, isRestored: draft !== null };
  });
  const [isTouched, setTouched] = useState(isRestored);
  useEffect(() => {
    if (isTouched) sessionStorage.setItem(key, JSON.stringify(content));
  }, [key, content, isTouched]);
  const change = useCallback((changed: Change<Content>) => {
    setTouched(true);
    setState((former) => {
      const next = isCalculation(changed) ? changed(former.content) : changed;
      return { ...former, content: { ...former.content, ...next } };
    });
  }, []);
  const discard = useCallback(() => {
    setTouched(false);
    setState({ content: initial, isRestored: false });
    sessionStorage.removeItem(key);
    // The initial content of a form is that of its first rendering.
  }, [key]);
  return { content, change, isRestored, discard };
}

function isCalculation<Content>(change: Change<Content>): change is Calculation<Content> {
  return typeof change === 'function';
}

function readDraft<Content>(key: string): Partial<Content> | null {
  const text = sessionStorage.getItem(key);
  return text === null ? null : (JSON.parse(text) as Partial<Content>);
}

/** Removes every draft of this tab. */
export function discardDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}
