import { Card, Group, Skeleton, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PersonPicture } from '../../ui/person-picture.js';
import { ScreenLink } from '../../ui/screen-link.js';
import { StateBadge } from '../../ui/state-badge.js';
import { standingOn } from '../person/standing.js';
import classes from './directory.module.css';
import { moveFocus, stepOf } from './move-focus.js';
import { type PeopleList, useRows } from './use-rows.js';

/** In pixels, with the gap below. */
const CARD_HEIGHT = 92;

/** The people as cards, for narrow screens; the page holds only the cards in sight. */
export function PeopleCards(list: PeopleList) {
  const { t } = useTranslation('directory');
  const { rows, pictures, day } = list;
  const { container, virtual } = useRows<HTMLUListElement>(list, CARD_HEIGHT);
  return (
    <ul
      ref={container}
      aria-label={t('title')}
      className={classes.cards}
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={(event) => moveFocus(event, stepOf(event))}
    >
      {virtual.getVirtualItems().map(({ index, start }) => {
        const person = rows[index];
        const offset = { transform: `translateY(${start - virtual.options.scrollMargin}px)` };
        if (person === undefined)
          return (
            <li key={index} className={classes.card} style={offset}>
              <Skeleton height={CARD_HEIGHT - 8} />
            </li>
          );
        const standing = standingOn(person, day);
        return (
          <li key={person.id} className={classes.card} style={offset}>
            <Card withBorder padding="sm" h={CARD_HEIGHT - 8}>
              <Group gap="sm" wrap="nowrap">
                <PersonPicture name={person.display_name} src={pictures.get(person.id)} />
                <div className={classes.cell}>
                  <Group gap={6} wrap="nowrap">
                    <ScreenLink to={`/people/${person.id}`} size="sm" fw={500} truncate data-row>
                      {person.display_name}
                    </ScreenLink>
                    {standing.text !== 'active' && <StateBadge tone={standing.tone}>{standing.text}</StateBadge>}
                  </Group>
                  <Text size="sm" truncate>
                    {person.job_title ?? '–'}
                  </Text>
                  <Text size="xs" c="dimmed" truncate>
                    {[person.department?.name, person.work_place?.label]
                      .filter((text) => text !== undefined)
                      .join(' · ')}
                  </Text>
                </div>
              </Group>
            </Card>
          </li>
        );
      })}
    </ul>
  );
}
