import KettleModel
import KettleRPC

/// Messages of aria2's RPC: reading ends, a reply is always JSON, and no option leads out of the
/// allowed directories or starts a program.
struct RPCFuzz: TextFuzzPart {
  let name = "rpc"
  let sharePercent = 3
  let samples: [[UInt8]]
  let mutator: TextMutator
  private let url: TransferURL

  init() throws {
    url = try TransferURL.parse("https://a.example/f").get().url
    samples = Self.texts.map { Array($0.utf8) }
    mutator = TextMutator(
      words: [
        "{\"", "\":", "[[", "]]", "null", "true", "1e400", "-0", "\\u0000", "\\ud83d", "token:",
        "\"params\":", "\"id\":", "\"aria2.", "\"dir\":\"", "/../", "\"out\":\"", "../x",
        "\"on-download-complete\":\"/bin/sh\"", "\"header\":\"Range: x\"", "\"gid\":\"0000",
        "<value>", "</value>", "<struct>", "<member><name>", "<array><data>", "<int>", "&#0;",
        "params=", "&method=", "%", "jsoncallback=alert(1)",
      ], samples: samples)
  }

  func finding(for input: [UInt8]) -> String? {
    if let finding = finding(in: JSONMessage(input)) { return finding }
    let query = QueryMessage(String(decoding: input, as: UTF8.self))
    if let callback = query.callback, callback.contains("(") { return "the callback \(callback)" }
    if let finding = finding(in: query.message) { return finding }
    guard let (method, params) = try? XMLValues.call(input) else { return nil }
    return finding(in: RPCCall(method: method, params: params))
  }

  private func finding(in message: JSONMessage) -> String? {
    let entries =
      switch message {
      case .single(let entry): [entry]
      case .batch(let entries): entries
      }
    let results = entries.map { entry in entry.call.map { RPCValue.text($0.method) } }
    let bytes = JSONWriter.bytes(JSONReply(to: message, results).value)
    if (try? JSONReader.value(bytes)) == nil { return "a reply that is no JSON" }
    for case .success(let call) in entries.map(\.call) {
      if let finding = finding(in: call) { return finding }
    }
    return nil
  }

  private func finding(in call: RPCCall) -> String? {
    var call = call
    _ = call.takeToken()
    switch try? RPCMethod(call) {
    case .addURIs(_, let options, _), .addMetalink(_, let options, _),
      .changeGlobalOption(let options), .changeOption(_, let options):
      return finding(in: options)
    case .multicall(let calls):
      for case .success(let inner) in calls where inner.method == "system.multicall" {
        return "a multicall within another"
      }
      return nil
    default: return nil
    }
  }

  func finding(in options: [String: RPCValue]) -> String? {
    guard let choices = try? RPCChoices(options) else { return nil }
    if choices.echoed.keys.contains(where: { $0.hasPrefix("on-") && choices.echoed[$0] != "" }) {
      return "a program is accepted"
    }
    var spec = TransferSpec(url: url)
    if (try? choices.apply(to: &spec, [url], login: nil)) != nil {
      if spec.headers.contains(where: { $0.name.lowercased() == "range" }) { return "a range" }
    }
    let place = try? RPCPlace(
      directory: choices.directory, output: choices.output, base: "/home/me/Downloads",
      home: "/home/me", roots: ["/home/me/Downloads"])
    guard let place else { return nil }
    let parts = place.directory.split(separator: "/")
    if !parts.starts(with: ["home", "me", "Downloads"]) || parts.contains("..") {
      return "the directory \(place.directory)"
    }
    if let name = place.name, FileName(foreign: name.text) != name {
      return "the name \(name.text)"
    }
    return nil
  }

  private static let texts = [
    #"{"jsonrpc":"2.0","id":"q","method":"aria2.addUri","params":["token:secret","#
      + #"["https://a.example/f"],{"dir":"/home/me/Downloads/x","out":"y/z","header":["A: b"],"#
      + #""split":"5","max-download-limit":"1M","checksum":"md5=d41d8cd98f00b204e9800998ecf8427e","#
      + #""all-proxy":"http://p:1","gid":"00000000deadbeef","pause":true,"out":null},0]}"#,
    #"[{"id":1,"method":"aria2.tellStopped","params":["token:x",-1,1000,["gid"]]},"#
      + #"{"id":2,"method":"system.multicall","params":[[{"methodName":"aria2.getVersion"}]]}]"#,
    "<?xml version=\"1.0\"?><methodCall><methodName>aria2.addUri</methodName><params>"
      + "<param><value><string>token:x</string></value></param><param><value><array><data>"
      + "<value>http://a/</value></data></array></value></param><param><value><struct><member>"
      + "<name>dir</name><value>/etc</value></member></struct></value></param></params></methodCall>",
    "method=aria2.tellStatus&id=1&params=WyJ0b2tlbjp4IiwiMDEyMyJd&jsoncallback=f",
  ]
}
