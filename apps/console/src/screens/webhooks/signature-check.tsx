import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { verifyWebhook, WebhookVerificationError } from '@workforce-hr/client';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** The signature headers of a delivery. */
export interface Sample {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

const NOTHING: Sample = { id: '', timestamp: '', signature: '', body: '' };

interface Verdict {
  readonly isGenuine: boolean;
  readonly text: string;
}

/**
 * Verifies by hand whether a delivery is genuine. The secret stays in this page: the browser calculates, and
 * nothing is sent.
 */
export function SignatureCheck({ sample }: { readonly sample: Sample | null }) {
  const { t } = useTranslation('webhooks');
  const [given, setGiven] = useState(NOTHING);
  const [secret, setSecret] = useState('');
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  useEffect(() => {
    if (sample === null) return;
    setGiven(sample);
    setVerdict(null);
  }, [sample]);
  const field = (name: keyof Sample) => ({
    value: given[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => {
      setGiven({ ...given, [name]: event.currentTarget.value });
      setVerdict(null);
    },
  });
  const isReady = secret !== '' && Object.values(given).every((text) => text !== '');
  return (
    <Card withBorder component="section" aria-label={t('checkSignature')} padding="md">
      <Title order={2} size="h5">
        {t('checkSignature')}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {t('checkHint')}
      </Text>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void verdictOf(t, given, secret).then(setVerdict);
        }}
      >
        <Stack gap="xs">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
            <TextInput label="Service-Webhook-Id" {...field('id')} />
            <TextInput label="Service-Webhook-Timestamp" inputMode="numeric" {...field('timestamp')} />
          </SimpleGrid>
          <TextInput label="Service-Webhook-Signature" {...field('signature')} />
          <Textarea label={t('body')} description={t('bodyHint')} autosize minRows={2} maxRows={8} {...field('body')} />
          <TextInput
            label={t('signingSecret')}
            placeholder="whsec_…"
            autoComplete="off"
            spellCheck={false}
            value={secret}
            onChange={(event) => {
              setSecret(event.currentTarget.value);
              setVerdict(null);
            }}
          />
          {verdict !== null && (
            <Alert
              role="status"
              variant="default"
              icon={verdict.isGenuine ? <IconCheck aria-hidden /> : <IconX aria-hidden />}
              title={verdict.isGenuine ? t('genuine') : t('notGenuine')}
            >
              {verdict.text}
            </Alert>
          )}
          <Group>
            <Button type="submit" size="xs" variant="default" disabled={!isReady}>
              {t('check')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

type Texts = ReturnType<typeof useTranslation<'webhooks'>>['t'];

async function verdictOf(t: Texts, { id, timestamp, signature, body }: Sample, secret: string): Promise<Verdict> {
  const headers = {
    'Service-Webhook-Id': id.trim(),
    'Service-Webhook-Timestamp': timestamp.trim(),
    'Service-Webhook-Signature': signature.trim(),
  };
  try {
    // By the clock of the delivery: its age is a separate question.
    const event = await verifyWebhook({ body, headers, secrets: secret.trim(), now: Number(timestamp) * 1_000 });
    const age = Math.round((Date.now() / 1_000 - Number(timestamp)) / 60);
    const isOld = Math.abs(age) > 5;
    return {
      isGenuine: true,
      text: [t('signedWith', { type: event.type }), ...(isOld ? [t('tooOld', { count: age })] : [])].join(' '),
    };
  } catch (error) {
    if (error instanceof WebhookVerificationError)
      return { isGenuine: false, text: t('reason', { reason: error.message }) };
    if (error instanceof SyntaxError) return { isGenuine: false, text: t('notJson') };
    throw error;
  }
}
