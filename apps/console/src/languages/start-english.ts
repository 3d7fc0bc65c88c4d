import i18next from 'i18next';
import common from '../messages/en.json';

/** Loads the shared English texts for a spec: pages load theirs from the service. */
export async function startEnglish(): Promise<void> {
  await i18next.init({ lng: 'en', defaultNS: 'common', resources: { en: { common } } });
}
