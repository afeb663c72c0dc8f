// `just screenshots`: the same browser and server, for the screenshots of the documentation.
import everything from "./playwright.config";

export default { ...everything, testDir: "screenshots" };
