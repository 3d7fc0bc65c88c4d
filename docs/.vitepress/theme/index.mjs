import Theme from 'vitepress/theme-without-fonts';
import './style.css';

// The page at this address was the reader of the API.
if (!import.meta.env.SSR && /^#(?:tag|model)\//.test(location.hash)) location.replace(`/docs/api${location.hash}`);

export default Theme;
