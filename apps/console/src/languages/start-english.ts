import i18next, { type Resource } from 'i18next';
import common from '../messages/en.json';

/** Loads the shared English texts and these namespaces for a spec: pages load theirs from the service. */
export async function startEnglish(namespaces: Resource[string] = {}): Promise<void> {
  await i18next.init({ lng: 'en', defaultNS: 'common', resources: { en: { common, ...namespaces } } });
}
