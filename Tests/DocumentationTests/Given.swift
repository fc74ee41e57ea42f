import BackgroundTransfer
import Foundation

// What the examples of the documentation take for granted: each of them may use these names, as a
// reader does who has a session and a URL already.

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
