import KettleConfiguration
import KettleControl

/// kettle-config(5): the keys of the configuration file.
enum ConfigurationPage {
  static func page(date: String) -> ManualPage {
    var source = ManualSource(
      title: "kettle-config", section: 5, date: date, version: ProductVersion.text)
    source.section("NAME")
    source.macro("Nm", "kettle-config")
    source.macro("Nd", "configuration file of Kettle")
    source.section("SYNOPSIS")
    source.macro("Pa", "~/.config/kettle/config.toml")
    source.section("DESCRIPTION")
    source.paragraphs(introduction)
    source.section("KEYS OF THE SERVICE")
    source.list(
      ConfigurationKeys.service.map { key in
        let standard = key.standard(in: ServiceConfiguration())
        return ("Ic " + key.name, "\(key.explanation) Default: \(standard).")
      })
    source.section("RULES FOR DOWNLOADS")
    source.paragraphs(rules)
    source.list(ConfigurationKeys.rules.map { ("Ic " + $0.lastName, $0.explanation) })
    source.section("SINGLE HOSTS")
    source.paragraphs(hosts)
    source.list(
      ConfigurationKeys.host("HOST").map { ("Ic " + $0.lastName, $0.explanation) })
    source.section("QUEUES AND SCHEDULES")
    source.paragraphs(schedules)
    source.section("PROXIES OF SINGLE HOSTS")
    source.paragraphs(proxyHosts)
    source.section("HOOKS")
    source.paragraphs(hooks)
    source.section("KEYS OF THE DASHBOARD")
    source.paragraphs(dashboard)
    source.section("PROBLEMS IN THE FILE")
    source.paragraphs(errors)
    source.section("FILES")
    source.list([
      ("Pa $XDG_CONFIG_HOME/kettle/config.toml", "The file, if the variable is set."),
      ("Pa ~/.config/kettle/config.toml", "The file otherwise."),
      ("Pa ~/.config/kettle/themes/NAME.toml", "Themes of the dashboard."),
    ])
    source.section("EXAMPLES")
    source.literal(
      example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    source.section("SEE ALSO")
    source.references([("kettle", 1), ("kettle-config", 1), ("kettle-rpc", 7)])
    return ManualPage(fileName: "kettle-config.5", text: source.text)
  }

  private static let introduction = """
    The service and the dashboard read the file when they start. It is optional, and so is each \
    key. "kettle config set KEY VALUE" changes a key and keeps comments, "kettle config check" \
    names what has no effect, and "kettle config reload" applies a change by hand. Limits, queues, \
    rules, hosts, hooks and the RPC change at once. For other tables, the command says that the \
    change applies after "kettle daemon stop". Running transfers continue when the service starts \
    again.

    The file is TOML: tables, arrays of tables, keys, single-line strings, whole numbers, \
    booleans, arrays and comments. If it contains a password, its permissions should be 0600.

    Each key below is the name of its table, a dot, and its name in the table. A key of an array \
    of tables has the number of the element in between, counted from 1: rules.2.host.
    """

  private static let schedules = """
    Each table [queues.NAME] is a queue of yours, which transfers enter with "kettle add --queue \
    NAME". transfers is how many of them run at once, from 1 to 1000. hours is when they may run, \
    such as "01:00-06:00", and days are the days on which the hours begin: "mon" to "sun". \
    Outside its hours a queue's transfers wait with their bytes kept. [queues.default] is for all \
    transfers that name no queue.

    Each [[limits.schedule]] has a rate, like limits.rate, with hours or days or both. The first \
    one that contains the time sets the limit for all transfers together; at other times \
    limits.rate does. "kettle limit" changes the limit until the next change by the schedule.

      [queues.night]
      transfers = 2
      hours = "01:00-06:00"

      [[limits.schedule]]
      rate = "2M"
      hours = "08:00-18:00"
      days = ["mon", "tue", "wed", "thu", "fri"]
    """

  private static let proxyHosts = """
    The table [proxy.hosts] gives single hosts a proxy of their own, or none. Each name includes \
    those below it, and the longest name counts.

      [proxy.hosts]
      intranet.example = "none"
      files.example.org = "socks5h://127.0.0.1:9050"

    """

  private static let hooks = """
    The service starts these programs without a shell. In the arguments {path}, {url}, {title}, \
    {id}, {event}, {state}, {session}, {bytes}, {error}, {message} and {reason} stand for the \
    values of the transfer. The same values are in the variables KETTLE_PATH, KETTLE_URL and so on \
    (KETTLE_ERROR_MESSAGE for {message}), and on standard input as JSON: what "kettle list --json" \
    prints, with "event" before it.

      [hooks]
      completed = ["notify-send", "{title}", "{path}"]

    The option --then of "kettle add" and "kettle get" starts a program for one transfer. \
    "kettle why ID" shows how the programs ended.
    """

  private static let dashboard = """
    The table [keys] assigns keys to actions: a text with one key, an array with several, or an \
    empty text for none. The help of the dashboard shows the actions.

    The table [dashboard] has mouse, bell, taskbar and announcements, each true or false.

    The table [theme] has name, the name of a theme, and background, which is "dark", "light" or \
    "auto". The table [theme.colors] replaces single colors of the theme.
    """

  private static let errors = """
    No command fails because of the file. A key that does not exist or has an invalid value is \
    ignored, and the others apply. With an invalid proxy nothing is sent. If the file cannot be \
    read, or is not TOML, all of it is ignored. "kettle daemon status" shows each problem with its \
    line.
    """

  private static let example = """
    [downloads]
    directory = "~/Downloads"

    [limits]
    transfers = 20
    rate = "2M"

    [[rules]]
    extension = ["iso", "img"]
    directory = "Images"

    [keys]
    pause = "e"
    start = ["s", "F5"]
    """
}

/// The tables of kettle-config(5) whose keys have names of the user's in them.
extension ConfigurationPage {
  static let rules = """
    Each [[rules]] is a rule for downloads. host, extension, type and name are conditions: a rule \
    applies if all that it has hold, and it must have one. The others say what it sets. The first \
    rule that applies counts. What a command or a client chooses for a download comes before it, \
    and tasks of programs are not affected.

      [[rules]]
      host = "videos.example.org"
      type = "video/*"
      directory = "Videos"
      limit = "2M"

    A rule is chosen when a download is added. It is chosen again when the response arrives, \
    because only then the type and the server's name for the file are known. A rule that sets \
    nothing keeps the later ones from applying. One with a wrong key is left out. \
    "kettle rules test URL" says which one applies.

    The full names of the keys have the number of the rule in them, such as rules.1.host.
    """

  static let hosts = """
    The table [hosts.HOST] has settings for a host and those below it. For each setting the \
    longest name counts. A name may be in quotes.

      [hosts."files.example.org"]
      connections = 4
      headers-file = "~/.config/kettle/files.headers"

    The headers are sent to exactly this host over HTTPS on its usual port, or to the origins in \
    headers-for, and nowhere else: not to hosts below it, and not after a redirect to another. The \
    file has one "Name: value" on each line and belongs to the user, with permissions that keep \
    others from reading it (chmod 600). It is read when a request is made and stored nowhere else. \
    If it cannot be used, nothing is sent and the transfer fails. Tasks of programs get neither \
    these headers nor the user agent.
    """
}

extension ConfigurationKey {
  fileprivate var explanation: String { "\(meaning) Accepts \(expectation)." }
}
