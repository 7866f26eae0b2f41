/** Notices at the foot of the page, which screen readers tell. */
import { Notification } from "react-admin";

export const Notices = () => <Notification anchorOrigin={{ vertical: "bottom", horizontal: "center" }} multiLine autoHideDuration={6000} />;
