{% snapshot hist_tickets %}
{{ config(unique_key=['shop_id', 'id'], strategy='check', check_cols=['fingerprint']) }}
{{ versioned(ref('stg_tickets'), ['seen_at']) }}
{% endsnapshot %}
