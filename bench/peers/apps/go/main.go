// Contacts in Go with net/http and pgx, by hand: one statement for a request and one for its caller, with the checks
// that Rowgate makes. A session is looked up with its user and the membership that it acts by, a limit is counted in
// Redis, and only contacts of that organization are seen.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/mail"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"
)

const (
	callerOf = `
SELECT users.id::text, members.organization_id::text
FROM sessions JOIN users ON users.id = sessions.user_id
JOIN members ON members.user_id = users.id AND members.organization_id = sessions.organization_id
WHERE sessions.digest = $1 AND sessions.expires_at > now() AND NOT users.disabled`
	shown  = "id::text, first_name, last_name, email, phone, title, company_id::text, created_at, updated_at"
	item   = "SELECT " + shown + " FROM contacts WHERE id = $1 AND organization_id = $2"
	page   = "SELECT " + shown + " FROM contacts WHERE "
	count  = "SELECT count(*) FROM contacts WHERE "
	create = `
INSERT INTO contacts (id, organization_id, created_by_id, first_name, last_name, email, phone, title, company_id)
SELECT $1, organization_id, $2, $4, $5, $6, $7, $8, id FROM companies
WHERE id = $9 AND organization_id = $3 RETURNING ` + shown
	update = `
UPDATE contacts SET updated_at = now(), first_name = coalesce($3, first_name), last_name = coalesce($4, last_name),
    email = coalesce($5, email), phone = coalesce($6, phone), title = coalesce($7, title)
WHERE id = $1 AND organization_id = $2 RETURNING ` + shown
	limit = 100_000_000
)

var window = redis.NewScript(`
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], 60) end
return count`)

type contact struct {
	ID        string    `json:"id"`
	FirstName string    `json:"first_name"`
	LastName  string    `json:"last_name"`
	Email     string    `json:"email"`
	Phone     *string   `json:"phone"`
	Title     *string   `json:"title"`
	CompanyID string    `json:"company_id"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

type given struct {
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Email     *string `json:"email"`
	Phone     *string `json:"phone"`
	Title     *string `json:"title"`
	CompanyID *string `json:"company_id"`
}

type caller struct {
	id           string
	organization string
}

type service struct {
	pool  *pgxpool.Pool
	redis *redis.Client
}

type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

func scan(row pgx.Row) (contact, error) {
	var c contact
	err := row.Scan(
		&c.ID, &c.FirstName, &c.LastName, &c.Email, &c.Phone, &c.Title, &c.CompanyID, &c.CreatedAt, &c.UpdatedAt,
	)
	var failed *pgconn.PgError
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, refusal{404, "Not found"}
	case errors.As(err, &failed) && failed.Code == "23505":
		return c, refusal{409, "There is a contact with this address"}
	}
	return c, err
}

func (s *service) callerOf(r *http.Request) (caller, error) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return caller{}, refusal{401, "Not authenticated"}
	}
	var who caller
	digest := sha256.Sum256([]byte(token))
	err := s.pool.QueryRow(r.Context(), callerOf, digest[:]).Scan(&who.id, &who.organization)
	if errors.Is(err, pgx.ErrNoRows) {
		return who, refusal{401, "Could not validate credentials"}
	} else if err != nil {
		return who, err
	}
	counted, err := window.Run(r.Context(), s.redis, []string{"limit:" + who.id}).Int64()
	if err == nil && counted > limit {
		err = refusal{429, "Rate limit exceeded"}
	}
	return who, err
}

func (s *service) list(who caller, r *http.Request) (any, error) {
	query := r.URL.Query()
	skip, _ := strconv.Atoi(query.Get("skip"))
	wanted, given := "organization_id = $1", []any{who.organization}
	if company := query.Get("company_id"); company != "" {
		if uuid.Validate(company) != nil {
			return nil, refusal{400, "company_id must be a UUID"}
		}
		wanted, given = wanted+" AND company_id = $2", append(given, company)
	}
	newest := fmt.Sprintf("%s%s ORDER BY created_at DESC, id DESC OFFSET %d LIMIT 20", page, wanted, max(skip, 0))
	rows, err := s.pool.Query(r.Context(), newest, given...)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (contact, error) { return scan(row) })
	if err != nil || r.URL.Path == "/contacts/uncounted" {
		return found, err
	}
	var total int64
	err = s.pool.QueryRow(r.Context(), count+wanted, given...).Scan(&total)
	return map[string]any{"data": found, "count": total}, err
}

func (s *service) read(who caller, r *http.Request) (any, error) {
	if uuid.Validate(r.PathValue("id")) != nil {
		return nil, refusal{404, "Not found"}
	}
	return scan(s.pool.QueryRow(r.Context(), item, r.PathValue("id"), who.organization))
}

func body(r *http.Request) (given, error) {
	var values given
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&values); err != nil {
		return values, refusal{400, "The body must be a contact"}
	}
	if values.Email != nil {
		if _, err := mail.ParseAddress(*values.Email); err != nil {
			return values, refusal{400, "email must be an address"}
		}
	}
	return values, nil
}

func (s *service) create(who caller, r *http.Request) (any, error) {
	values, err := body(r)
	if err != nil {
		return nil, err
	}
	if values.FirstName == nil || values.LastName == nil || values.Email == nil || values.CompanyID == nil {
		return nil, refusal{400, "A field is missing"}
	}
	row := s.pool.QueryRow(
		r.Context(), create, uuid.NewString(), who.id, who.organization, values.FirstName, values.LastName,
		values.Email, values.Phone, values.Title, values.CompanyID,
	)
	return scan(row)
}

func (s *service) update(who caller, r *http.Request) (any, error) {
	values, err := body(r)
	if err != nil {
		return nil, err
	}
	row := s.pool.QueryRow(
		r.Context(), update, r.PathValue("id"), who.organization, values.FirstName, values.LastName, values.Email,
		values.Phone, values.Title,
	)
	return scan(row)
}

func (s *service) serve(status int, work func(caller, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, err := s.callerOf(r)
		code, value := status, any(nil)
		if err == nil {
			value, err = work(who, r)
		}
		w.Header().Set("Content-Type", "application/json")
		var refused refusal
		if errors.As(err, &refused) {
			code, value = refused.status, map[string]string{"detail": refused.text}
		} else if err != nil {
			log.Print(err)
			code, value = 500, map[string]string{"detail": "Internal error"}
		}
		encoded, _ := json.Marshal(value)
		w.Header().Set("Content-Length", strconv.Itoa(len(encoded)))
		w.WriteHeader(code)
		_, _ = w.Write(encoded)
	}
}

func main() {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(
		fmt.Sprintf("postgresql://postgres@/go?host=%s&pool_max_conns=20&pool_min_conns=20", os.Getenv("DATABASE_HOST")),
	)
	if err != nil {
		log.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	s := &service{pool, redis.NewClient(&redis.Options{Network: "unix", Addr: os.Getenv("REDIS_SOCKET")})}
	http.HandleFunc("GET /contacts", s.serve(200, s.list))
	http.HandleFunc("GET /contacts/uncounted", s.serve(200, s.list))
	http.HandleFunc("GET /contacts/{id}", s.serve(200, s.read))
	http.HandleFunc("POST /contacts", s.serve(201, s.create))
	http.HandleFunc("PATCH /contacts/{id}", s.serve(200, s.update))
	log.Fatal(http.ListenAndServe(os.Getenv("ADDRESS"), nil))
}
