import KettleConfiguration

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

extension RuleKey {
  /// What the key means; a sentence.
  var meaning: String {
    switch self {
    case .host: "Applies to these hosts and those below them, as in the URL of the download."
    case .fileExtension: "Applies to files whose names end in a dot and this. Case does not matter."
    case .type: "Applies to what the server calls this, whatever follows the semicolon."
    case .name:
      "Applies to files with such a name. * stands for any text and ? for one character; case does "
        + "not matter."
    case .directory:
      "Where the file goes. A directory below the downloads directory is made when it is missing."
    case .title: "What is shown in place of the file name."
    case .limit: "Bytes per second, with K, M or G for powers of 1024."
    case .priority: "The place in the queue."
    case .connections: "The maximum number of connections of the download."
    case .queue: "The queue of the download, which has a table [queues.NAME]."
    }
  }
}

extension HostKey {
  /// What the key sets; a sentence.
  var meaning: String {
    switch self {
    case .connections:
      "How many connections the host gets, all transfers together, in place of "
        + "limits.connections-per-host."
    case .proxy: "The proxy for the host, in place of the one in [proxy.hosts]."
    case .headersFile: "The file with headers for the host."
    case .headersFor: "The origins that get those headers."
    case .netrc: "Whether ~/.netrc may supply logins for the host."
    case .userAgent: "What Kettle calls itself there."
    }
  }
}
