import { readFileSync } from 'node:fs';
import i18next from 'i18next';

/** Loads the shared English texts for a spec: pages load them from the service. */
export async function startEnglish(): Promise<void> {
  const common = JSON.parse(readFileSync('apps/console/src/messages/en.json', 'utf8')) as object;
  await i18next.init({ lng: 'en', defaultNS: 'common', resources: { en: { common } } });
}
