import BackgroundTransfer
import Foundation

// The names that the examples in the documentation may use without declaring them, like a reader
// who already has a session and a URL.

var session: URLSession {
  URLSession(configuration: .background(withIdentifier: "org.example.given"))
}

var url: URL { URL(filePath: "/book.pdf") }
var urls: [URL] { [url] }
var file: URL { URL(filePath: "/tmp/book.pdf") }
var request: URLRequest { URLRequest(url: url) }
var task: URLSessionDownloadTask { session.downloadTask(with: url) }
var upload: URLSessionUploadTask { session.uploadTask(with: request, fromFile: file) }
var configuration: URLSessionConfiguration { .background(withIdentifier: "org.example.given") }
var error: any Error { URLError(.cancelled) }
var resumeData: Data { Data() }
var digest: String { String(repeating: "0", count: 64) }
var mirrors: [URL] { [url] }
