import { useQuery } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { client, type Schemas } from '../../data/client.js';
import { Dialog } from '../../ui/dialog.js';
import { Failure, Loading } from '../../ui/states.js';
import { Form } from './form.js';
import { type History, readHistory } from './history.js';
import { CorrectionReason } from './correction-reason.js';
import { BeforeAndAfter, useChangesPreview } from './preview.js';
import { changesBetween } from './lost-terms.js';
import { useBased, useTaggedWrite } from '../../data/use-tagged-write.js';

interface WithdrawProperties {
  readonly personId: string;
  /** The fact that was recorded by mistake. */
  readonly factId: string;
  /** A description of the fact, in words. */
  readonly what: string;
  /** A day of the fact. */
  readonly day: string;
  readonly onDone: (message: string) => void;
  readonly onCancel: () => void;
}

/**
 * Withdraws a fact that was recorded by mistake, without a replacement, which restores the beliefs before it.
 */
export function WithdrawFact(properties: WithdrawProperties) {
  const { t } = useTranslation();
  const { personId, onCancel } = properties;
  const history = useQuery({ queryKey: ['people', personId, 'timeline'], queryFn: () => readHistory(personId) });
  if (history.isSuccess) return <Withdrawal {...properties} answer={history.data} />;
  return (
    <Dialog title={t('withdraw.action')} onClose={onCancel}>
      {history.isError ? (
        <Failure error={history.error} onRetry={() => void history.refetch()} />
      ) : (
        <Loading of={t('withdraw.reading')} />
      )}
    </Dialog>
  );
}

function Withdrawal({
  personId,
  factId,
  what,
  day,
  answer,
  onDone,
  onCancel,
}: WithdrawProperties & { readonly answer: History }) {
  const { t } = useTranslation();
  const based = useBased(answer, () => readHistory(personId));
  const [reason, setReason] = useState('');
  const fields = { corrects: factId, withdraw: true };
  // The preview does not depend on the reason.
  const preview = useChangesPreview('recordEmploymentFact', personId, based, {
    ...fields,
    correction_reason: 'Preview',
  });
  const write = useTaggedWrite(
    based,
    (body: object, header) => {
      const params = { path: { personId }, header };
      return answerOf(
        client.POST('/people/{personId}/employment-history', { params, body: body as Schemas['RecordFactRequest'] }),
      );
    },
    () => onDone(t('withdraw.done')),
  );
  const error = write.error ?? preview.error;
  return (
    <Form
      title={t('withdraw.named', { what })}
      explanation={t('withdraw.explanation')}
      submit={t('withdraw.action')}
      isReady={preview.isShown && reason.trim() !== ''}
      isPending={write.isPending}
      error={error}
      lost={based.overtaken === null ? null : changesBetween(based.overtaken, based.answer.data, day)}
      onSubmit={() => write.send({ ...fields, correction_reason: reason.trim() })}
      onCancel={onCancel}
    >
      <BeforeAndAfter of={preview} />
      <CorrectionReason value={reason} error={error} onChange={setReason} />
    </Form>
  );
}
